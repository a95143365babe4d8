import { afterEach, expect, test } from "vitest";

import { marks } from "$/pages/receipt/marks";
import { made } from "$/pages/receipt/parts";
import { isConsent, reason } from "$/pages/receipt/reasons";
import { timings } from "$/pages/receipt/timings";
import { language } from "$/words/language.svelte";

afterEach(() => language.choose("en"));

const SHARES = { "recall.alpha": 0.6, "recall.beta": 0.3, "recall.gamma": 0.1, "recall.fresh": 0.05, "recall.short": 0.2, "recall.lead": 1.5 };

test("parts are shown by what they add to the score, what speaks against it below zero", () => {
  const item = { parts: { dense: 1, lexical: 0.5, weight: 0.8, recency: 0.5, short: 0.5 }, score: 0.6 + 0.15 + 0.05 * 0.4 - 0.1 };

  expect(made(item, "evidence", SHARES)).toEqual({
    adds: true,
    parts: [
      { name: "dense", value: 0.6 },
      { name: "lexical", value: 0.15 },
      { name: "fresh", value: expect.closeTo(0.02) as number },
      { name: "short", value: -0.1 },
    ],
  });
});

test.each([
  ["made with other settings", 2, "evidence", SHARES],
  ["ranked in a way nobody knows", 0.6, "novel", SHARES],
  ["while the settings are not here", 0.6, "evidence", undefined],
])("a score %s is shown by its parts as they were found", (_, score, ranker, shares) => {
  const shown = made({ parts: { dense: 1, weight: 0.8 }, score }, ranker, shares);

  expect(shown).toEqual({ adds: false, parts: [{ name: "dense", value: 1 }, { name: "weight", value: 0.8 }] });
});

test("a blend is a sum within the bounds of its boost", () => {
  const shares = { ...SHARES, "recall.boost_min": 0.5, "recall.boost_max": 1 };

  expect(made({ parts: { dense: 1, weight: 0.1, recency: 0.1 }, score: 0.3 }, "blend", shares)).toEqual({ adds: true, parts: [{ name: "dense", value: 0.3 }] });
});

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
