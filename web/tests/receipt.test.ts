import { expect, test } from "vitest";

import { highlightTerms } from "$/pages/receipt/highlight";
import { isConsentReason } from "$/pages/receipt/consent-notes";
import { sentTiers } from "$/pages/receipt/tiers";
import { sortTimings } from "$/pages/receipt/timings";

test("query terms are highlighted regardless of case and accents; short ones are not", () => {
  expect(highlightTerms("Não gosta de COENTRO.", "E o coentro, nao?")).toEqual([
    { text: "Não", marked: true },
    { text: " gosta de ", marked: false },
    { text: "COENTRO", marked: true },
    { text: ".", marked: false },
  ]);
  expect(highlightTerms("Soup", null)).toEqual([{ text: "Soup", marked: false }]);
});

test("reasons of consent and mode are recognized", () => {
  const codes = ["no_consent", "recall_off", "more_candidates", "profile_over_budget"] as const;

  expect(codes.map((code) => isConsentReason({ code, params: {}, text: "" }))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test("timings are in execution order, the total last", () => {
  expect(sortTimings({ total_ms: 9, rank_ms: 1, novel_ms: 2, embed_ms: 3 }).map(([name]) => name)).toEqual([
    "embed",
    "rank",
    "novel",
    "total",
  ]);
});

test("tiers are sent with a block only", () => {
  const sources = { global_dense: 12, working: 1, contexts: 0, profile: 1 };

  expect(sentTiers({ sources, tokens: 67 })).toEqual(["profile", "working"]);
  expect(sentTiers({ sources, tokens: 0 })).toEqual([]);
});
