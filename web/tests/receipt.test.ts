import { afterEach, expect, test } from "vitest";

import { marks } from "$/pages/receipt/marks";
import { isConsent, reason } from "$/pages/receipt/reasons";
import { timings } from "$/pages/receipt/timings";
import { language } from "$/words/language.svelte";

afterEach(() => language.choose("en"));

test("words of the question are marked, whatever their case and accents; short ones are not", () => {
  expect(marks("Não gosta de COENTRO.", "E o coentro, nao?")).toEqual([
    { text: "Não", marked: true },
    { text: " gosta de ", marked: false },
    { text: "COENTRO", marked: true },
    { text: ".", marked: false },
  ]);
  expect(marks("Soup", null)).toEqual([{ text: "Soup", marked: false }]);
});

test.each([
  ["cosine 0.32 is below 0.45", "Too far from the question in meaning: 0.32, at least 0.45 is asked for."],
  ["over budget (needs 120, 40 left)", "No room in the budget: it needs 120 tokens, 40 were left."],
  ["rank 7, only 6 are handed on", "Came in at place 7; only 6 are handed on."],
  ["emo: no consent", "Feeling: you did not agree to it."],
  ["everything: memory is off here", "Everything: here it is “Memory off”."],
  ["1 more candidates, further down", "1 more, further down."],
  ["profile: over budget (needs 120, 40 left)", "Profile: No room in the budget: it needs 120 tokens, 40 were left."],
  ["lexical only: no embedder is configured", "Searched by words only: no embedder is configured"],
  ["it is archived: too light", "It is not in use: Archived."],
  ["a reason of tomorrow", "a reason of tomorrow"],
])("the server's note %s is a sentence", (note, sentence) => expect(reason(note)).toBe(sentence));

test("reasons are told in Portuguese as well", () => {
  language.choose("pt");

  expect(reason("cosine 0.32 is below 0.45")).toBe("Longe demais da pergunta em sentido: 0,32; pede-se ao menos 0,45.");
});

test("consent stands apart from other notes", () => {
  expect(["emo: no consent", "everything: memory is off here", "3 more candidates, further down", "profile: no room"].map(isConsent)).toEqual([true, true, false, false]);
});

test("timings come in the order things happen, the whole last", () => {
  expect(timings({ total_ms: 9, rank_ms: 1, novel_ms: 2, embed_ms: 3 }).map(([name]) => name)).toEqual(["embed", "rank", "novel", "total"]);
});
