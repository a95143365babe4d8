import { expect, test } from "vitest";

import type { MemoryAccount, FacetCount } from "$/api/types";
import { countMatching, isSearch, hasFilters, parseFilters } from "$/pages/memory/filters";
import { countByWeek } from "$/pages/memory/weekly-usage";

const CENSUS: FacetCount[] = [
  { status: "active", kind: "preference", origin: "manual", importance: "critical", count: 3 },
  { status: "active", kind: "preference", origin: "rules", importance: "context", count: 2 },
  { status: "active", kind: "biography", origin: "rules", importance: "critical", count: 5 },
  { status: "archived", kind: "emotion", origin: "model", importance: "context", count: 7 },
];

test("filters are read from the URL, and unknown values are ignored", () => {
  expect(parseFilters(new URLSearchParams("q=tea&kind=preference&status=nonsense&origin="))).toEqual({
    q: "tea",
    status: "active",
    kind: "preference",
    origin: "",
    importance: "",
  });
});

test("each facet option is counted with the other filters, not with its own", () => {
  const filters = parseFilters(new URLSearchParams("kind=preference"));

  expect(countMatching(CENSUS, filters)).toBe(5);
  expect(countMatching(CENSUS, filters, "kind", "biography")).toBe(5);
  expect(countMatching(CENSUS, filters, "kind")).toBe(10);
  expect(countMatching(CENSUS, filters, "origin", "rules")).toBe(2);
  expect(countMatching(CENSUS, filters, "status", "archived")).toBe(0);
});

test("only active memories are searched with the engine", () => {
  expect(isSearch(parseFilters(new URLSearchParams("q=tea")))).toBe(true);
  expect(isSearch(parseFilters(new URLSearchParams("q=%20")))).toBe(false);
  expect(isSearch(parseFilters(new URLSearchParams("q=tea&status=forgotten")))).toBe(false);
  expect(hasFilters(parseFilters(new URLSearchParams()))).toBe(false);
  expect(hasFilters(parseFilters(new URLSearchParams("status=forgotten")))).toBe(true);
});

test("recalls are counted by week, with empty weeks and without left-out items", () => {
  const now = new Date(2026, 2, 18, 12);
  const use = (day: number, disposition: "injected" | "left_out"): MemoryAccount["uses"][number] => ({
    receipt: `r${day}${disposition}`,
    at: new Date(2026, 2, day, 9).toISOString(),
    chat_id: null,
    query: null,
    disposition,
    score: 1,
  });
  const weeks = countByWeek([use(17, "injected"), use(16, "left_out"), use(3, "injected")], now);

  expect(weeks.starts.map((start) => new Date(start * 1000).getDay())).toEqual(
    Array.from({ length: 12 }, () => 1),
  );
  expect(weeks.shown.slice(-3)).toEqual([1, 0, 1]);
});
