import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { partColor, breakDownScore, scoreWeights } from "$/api/score-breakdown.svelte";

const WEIGHTS = {
  "recall.alpha": 0.6,
  "recall.beta": 0.3,
  "recall.gamma": 0.1,
  "recall.freshness_weight": 0.05,
  "recall.short_penalty": 0.2,
  "recall.outdated_penalty": 0.5,
};

test("parts are weighted, and penalties are negative", () => {
  const score = 0.6 + 0.15 + 0.05 * 0.4 - 0.1 - 0.5;
  const parts = { dense: 1, lexical: 0.5, weight: 0.8, recency: 0.5, short: 0.5, outdated: 1 };

  expect(breakDownScore({ parts, score }, "evidence", WEIGHTS)).toEqual({
    score,
    addsUp: true,
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
  ["computed with other settings", 2, "evidence", WEIGHTS],
  ["of an unknown ranker", 0.6, "novel", WEIGHTS],
  ["without loaded settings", 0.6, "evidence", undefined],
])("a score %s is shown by its raw parts", (_, score, ranker, weights) => {
  const shown = breakDownScore({ parts: { dense: 1, weight: 0.8 }, score }, ranker, weights);

  expect(shown).toEqual({
    score,
    addsUp: false,
    parts: [
      { name: "dense", value: 1 },
      { name: "weight", value: 0.8 },
    ],
  });
});

test("a blend is a sum with a bounded boost", () => {
  const weights = { ...WEIGHTS, "recall.boost_min": 0.5, "recall.boost_max": 1 };

  expect(
    breakDownScore({ parts: { dense: 1, weight: 0.1, recency: 0.1 }, score: 0.3 }, "blend", weights),
  ).toEqual({
    score: 0.3,
    addsUp: true,
    parts: [{ name: "dense", value: 0.3 }],
  });
});

test("a sum has only its own parts", () => {
  const item = { parts: { dense: 0.5, lexical: 1, weight: 1, recency: 1 }, score: 0.6 };

  expect(breakDownScore(item, "sum", WEIGHTS).parts).toEqual([
    { name: "dense", value: 0.3 },
    { name: "lexical", value: 0.3 },
  ]);
});

test("weights are the numeric settings, with overrides", () => {
  const settings = [
    { name: "recall.limit", value: 3 },
    { name: "recall.alpha", value: 0.6 },
    { name: "recall.ranker", value: "evidence" },
  ];

  expect(scoreWeights(settings)).toEqual({ "recall.limit": 3, "recall.alpha": 0.6 });
  expect(scoreWeights(settings, { "recall.alpha": 0.2 })).toEqual({ "recall.limit": 3, "recall.alpha": 0.2 });
});

test("each part has its own color in the style sheet, and penalties share a neutral one", () => {
  const parts = [
    "dense",
    "lexical",
    "identifier",
    "recency",
    "answer",
    "chat",
    "follow",
    "lead",
    "date",
    "speaker",
    "sort",
    "personal",
    "reread",
    "weight",
  ] as const;
  const colors = parts.map(partColor);
  const style = readFileSync("src/app.css", "utf-8");

  expect(new Set(colors).size).toBe(parts.length);
  expect(colors.filter((color) => !style.includes(`${color}: light-dark(`))).toEqual([]);
  expect(partColor("fresh")).toBe(partColor("recency"));
  expect(partColor("outdated")).toBe("--ink-soft");
});
