import { expect, test } from "vitest";

import type { Memory, ToldEvent, WaitingMemory } from "$/api/types";
import { address } from "$/api/client";
import { cards, place } from "$/pages/inbox/cards";
import { byDay, dateOf, endOf, isGroup, readDate } from "$/pages/timeline/days";

const memory = (id: string, standing: Memory["standing"]) => ({ id, standing, against: [] }) as unknown as WaitingMemory;
const event = (id: string, at: Date) => ({ id, at: at.toISOString() }) as ToldEvent;

test("contradictions come first, then doubts, then twins", () => {
  const pair = { memory: memory("c", "active"), other: memory("d", "active"), similarity: 0.95 };
  const shown = cards([memory("a", "quarantined"), memory("b", "contested")], [pair]);

  expect(shown.map((card) => [card.sort, card.key])).toEqual([
    ["contested", "b"],
    ["doubted", "a"],
    ["twins", "c d"],
  ]);
});

test.each([
  [0, 3, 0],
  [2, 2, 1],
  [5, 0, 0],
  [-1, 3, 0],
])("at %i of %i one stands at %i", (at, count, found) => expect(place(at, count)).toBe(found));

test("events stand under the day they happened on here", () => {
  const days = byDay([event("c", new Date(2026, 2, 2, 23, 59)), event("b", new Date(2026, 2, 2, 0, 1)), event("a", new Date(2026, 2, 1, 23, 59))]);

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
])("%s in an address is %s", (text, date) => expect(readDate(text)).toBe(date));

test("a day ends with its last moment", () => {
  expect(dateOf(endOf("2026-03-02"))).toBe("2026-03-02");
  expect(dateOf(new Date(endOf("2026-03-02").getTime() + 1))).toBe("2026-03-03");
});

test("what is not a group shows everything", () => {
  expect([isGroup("learned"), isGroup("toString"), isGroup(null)]).toEqual([true, false, false]);
});

test("a list in a query is said one by one", () => {
  expect(address("/api/memory/timeline", { query: { action: ["learn", "forget"], limit: 5, before: undefined } })).toBe("/api/memory/timeline?action=learn&action=forget&limit=5");
});
