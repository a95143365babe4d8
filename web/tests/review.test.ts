import { expect, test } from "vitest";

import type { Memory, TimelineEntry, PendingMemory } from "$/api/types";
import { buildUrl } from "$/api/client";
import { buildCards, clampIndex } from "$/pages/review/cards";
import { groupByDay, toDateString, endOfDay, isEventGroup, parseDate } from "$/pages/timeline/days";

const memory = (id: string, status: Memory["status"]) =>
  ({ id, status, against: [] }) as unknown as PendingMemory;
const event = (id: string, at: Date) => ({ id, at: at.toISOString() }) as TimelineEntry;

test("contradictions come first, then uncertain memories, then duplicates", () => {
  const pair = { memory: memory("c", "active"), other: memory("d", "active"), similarity: 0.95 };
  const cards = buildCards([memory("a", "quarantined"), memory("b", "contested")], [pair]);

  expect(cards.map((card) => [card.sort, card.key])).toEqual([
    ["contested", "b"],
    ["uncertain", "a"],
    ["duplicate", "c d"],
  ]);
});

test.each([
  [0, 3, 0],
  [2, 2, 1],
  [5, 0, 0],
  [-1, 3, 0],
])("index %i of %i is clamped to %i", (at, count, expected) => expect(clampIndex(at, count)).toBe(expected));

test("events are grouped by local day", () => {
  const days = groupByDay([
    event("c", new Date(2026, 2, 2, 23, 59)),
    event("b", new Date(2026, 2, 2, 0, 1)),
    event("a", new Date(2026, 2, 1, 23, 59)),
  ]);

  expect(days.map((day) => [day.date, day.events.map((each) => each.id)])).toEqual([
    ["2026-03-02", ["c", "b"]],
    ["2026-03-01", ["a"]],
  ]);
});

test.each([
  ["2026-03-02", "2026-03-02"],
  ["2026-02-30", null],
  ["yesterday", null],
  ["", null],
  [undefined, null],
])("%s in the URL is parsed as %s", (text, date) => expect(parseDate(text)).toBe(date));

test("a day ends with its last millisecond", () => {
  expect(toDateString(endOfDay("2026-03-02"))).toBe("2026-03-02");
  expect(toDateString(new Date(endOfDay("2026-03-02").getTime() + 1))).toBe("2026-03-03");
});

test("unknown groups are rejected", () => {
  expect([isEventGroup("learned"), isEventGroup("toString"), isEventGroup(null)]).toEqual([
    true,
    false,
    false,
  ]);
});

test("a list becomes repeated query parameters", () => {
  expect(
    buildUrl("/api/memory/timeline", { query: { action: ["learn", "forget"], limit: 5, before: undefined } }),
  ).toBe("/api/memory/timeline?action=learn&action=forget&limit=5");
});
