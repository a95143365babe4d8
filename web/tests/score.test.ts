import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { colourOf, made, sharesOf } from "$/api/score.svelte";

const SHARES = { "recall.alpha": 0.6, "recall.beta": 0.3, "recall.gamma": 0.1, "recall.freshness_weight": 0.05, "recall.short_penalty": 0.2, "recall.outdated_penalty": 0.5 };

test("parts are shown by what they add to the score, what speaks against it below zero", () => {
  const score = 0.6 + 0.15 + 0.05 * 0.4 - 0.1 - 0.5;
  const parts = { dense: 1, lexical: 0.5, weight: 0.8, recency: 0.5, short: 0.5, outdated: 1 };

  expect(made({ parts, score }, "evidence", SHARES)).toEqual({
    score,
    adds: true,
    parts: [
      { name: "dense", value: 0.6 },
      { name: "lexical", value: 0.15 },
      { name: "fresh", value: expect.closeTo(0.02) as number },
      { name: "short", value: -0.1 },
      { name: "outdated", value: -0.5 },
    ],
  });
});

test.each([
  ["made with other settings", 2, "evidence", SHARES],
  ["ranked in a way nobody knows", 0.6, "novel", SHARES],
  ["while the settings are not here", 0.6, "evidence", undefined],
])("a score %s is shown by its parts as they were found", (_, score, ranker, shares) => {
  const shown = made({ parts: { dense: 1, weight: 0.8 }, score }, ranker, shares);

  expect(shown).toEqual({ score, adds: false, parts: [{ name: "dense", value: 1 }, { name: "weight", value: 0.8 }] });
});

test("a blend is a sum within the bounds of its boost", () => {
  const shares = { ...SHARES, "recall.boost_min": 0.5, "recall.boost_max": 1 };

  expect(made({ parts: { dense: 1, weight: 0.1, recency: 0.1 }, score: 0.3 }, "blend", shares)).toEqual({ score: 0.3, adds: true, parts: [{ name: "dense", value: 0.3 }] });
});

test("a sum counts its own words alone", () => {
  const item = { parts: { dense: 0.5, lexical: 1, weight: 1, recency: 1 }, score: 0.6 };

  expect(made(item, "sum", SHARES).parts).toEqual([{ name: "dense", value: 0.3 }, { name: "lexical", value: 0.3 }]);
});

test("shares are the numbers among the settings, or what is tried in their place", () => {
  const settings = [{ name: "recall.limit", value: 3 }, { name: "recall.alpha", value: 0.6 }, { name: "recall.ranker", value: "evidence" }];

  expect(sharesOf(settings)).toEqual({ "recall.limit": 3, "recall.alpha": 0.6 });
  expect(sharesOf(settings, { "recall.alpha": 0.2 })).toEqual({ "recall.limit": 3, "recall.alpha": 0.2 });
});

test("each part has a colour of its own, which the style sheet knows, and none where it speaks against a passage", () => {
  const parts = ["dense", "lexical", "identifier", "recency", "answer", "chat", "follow", "lead", "date", "speaker", "sort", "personal", "reread", "weight"] as const;
  const colours = parts.map(colourOf);
  const style = readFileSync("src/app.css", "utf-8");

  expect(new Set(colours).size).toBe(parts.length);
  expect(colours.filter((colour) => !style.includes(`${colour}: light-dark(`))).toEqual([]);
  expect(colourOf("fresh")).toBe(colourOf("recency"));
  expect(colourOf("outdated")).toBe("--ink-soft");
});
