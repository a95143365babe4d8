import { expect, test } from "vitest";

import { marks } from "$/pages/receipt/marks";
import { isConsent } from "$/pages/receipt/reasons";
import { timings } from "$/pages/receipt/timings";

test("words of the question are marked, whatever their case and accents; short ones are not", () => {
  expect(marks("Não gosta de COENTRO.", "E o coentro, nao?")).toEqual([
    { text: "Não", marked: true },
    { text: " gosta de ", marked: false },
    { text: "COENTRO", marked: true },
    { text: ".", marked: false },
  ]);
  expect(marks("Soup", null)).toEqual([{ text: "Soup", marked: false }]);
});

test("consent stands apart from other notes", () => {
  expect(["emo: no consent", "everything: memory is off here", "3 more candidates, further down", "profile: no room"].map(isConsent)).toEqual([true, true, false, false]);
});

test("timings come in the order things happen, the whole last", () => {
  expect(timings({ total_ms: 9, rank_ms: 1, novel_ms: 2, embed_ms: 3 }).map(([name]) => name)).toEqual(["embed", "rank", "novel", "total"]);
});
