import { expect, test } from "vitest";

import type { Account, Sort } from "$/api/types";
import { count, isAsked, isNarrowed, read } from "$/pages/memory/filters";
import { byWeek } from "$/pages/memory/weeks";

const CENSUS: Sort[] = [
  { standing: "active", kind: "pref", origin: "manual", importance: "critical", count: 3 },
  { standing: "active", kind: "pref", origin: "rules", importance: "context", count: 2 },
  { standing: "active", kind: "bio", origin: "rules", importance: "critical", count: 5 },
  { standing: "archived", kind: "emo", origin: "model", importance: "context", count: 7 },
];

test("filters come from the address, and what it does not know is left out", () => {
  expect(read(new URLSearchParams("q=tea&kind=pref&standing=nonsense&origin="))).toEqual({
    q: "tea",
    standing: "active",
    kind: "pref",
    origin: "",
    importance: "",
  });
});

test("each choice is counted with the other filters, not with its own", () => {
  const filters = read(new URLSearchParams("kind=pref"));

  expect(count(CENSUS, filters)).toBe(5);
  expect(count(CENSUS, filters, "kind", "bio")).toBe(5);
  expect(count(CENSUS, filters, "kind")).toBe(10);
  expect(count(CENSUS, filters, "origin", "rules")).toBe(2);
  expect(count(CENSUS, filters, "standing", "archived")).toBe(0);
});

test("the engine is asked for what is in use only", () => {
  expect(isAsked(read(new URLSearchParams("q=tea")))).toBe(true);
  expect(isAsked(read(new URLSearchParams("q=%20")))).toBe(false);
  expect(isAsked(read(new URLSearchParams("q=tea&standing=forgotten")))).toBe(false);
  expect(isNarrowed(read(new URLSearchParams()))).toBe(false);
  expect(isNarrowed(read(new URLSearchParams("standing=forgotten")))).toBe(true);
});

test("recalls are counted by week, the quiet weeks are there too, and what was left out is no use", () => {
  const now = new Date(2026, 2, 18, 12);
  const use = (day: number, fate: "injected" | "left_out"): Account["uses"][number] => ({
    receipt: `r${day}${fate}`,
    at: new Date(2026, 2, day, 9).toISOString(),
    chat_id: null,
    query: null,
    fate,
    score: 1,
  });
  const weeks = byWeek([use(17, "injected"), use(16, "left_out"), use(3, "injected")], now);

  expect(weeks.starts.map((start) => new Date(start * 1000).getDay())).toEqual(Array.from({ length: 12 }, () => 1));
  expect(weeks.shown.slice(-3)).toEqual([1, 0, 1]);
});
