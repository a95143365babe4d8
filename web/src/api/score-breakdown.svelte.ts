/**
 * Breaks a score down into its parts. If the current weights reproduce the score, the parts are weighted; otherwise
 * they are the raw feature values.
 */

import { api } from "./client";
import type { Item, Setting } from "./types";

/** In display order. */
const PARTS = [
  "dense",
  "lexical",
  "identifier",
  "fresh",
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
const PENALTIES = ["short", "asks", "assistant", "outdated"] as const;
type PartName = (typeof PARTS)[number] | (typeof PENALTIES)[number];
/** Each part has its own color, the same in every bar. */
const COLORED_PARTS: readonly PartName[] = [
  "dense",
  "lexical",
  "recency",
  "chat",
  "personal",
  "weight",
  "answer",
  "follow",
  "lead",
  "date",
  "identifier",
  "speaker",
  "sort",
  "reread",
];
/** Weights by setting name, for example `recall.alpha`. */
export type ScoreWeights = Readonly<Record<string, number>>;

export interface Part {
  name: PartName;
  value: number;
}
export interface ScoreBreakdown {
  score: number;
  /** Positive values raise the score, negative values are penalties. */
  parts: Part[];
  /** Whether the weighted parts add up to the score. */
  addsUp: boolean;
}

/** Recall setting that weights each part. */
const WEIGHT_SETTINGS: Readonly<Record<string, string>> = {
  dense: "alpha",
  lexical: "beta",
  identifier: "gamma",
  answer: "reply_weight",
  chat: "chat_weight",
  follow: "previous_weight",
  lead: "lexical_lead_weight",
  date: "date_weight",
  speaker: "speaker_weight",
  sort: "answer_type_weight",
  personal: "personal_weight",
  reread: "rerank_weight",
  short: "short_penalty",
  asks: "question_penalty",
  assistant: "assistant_penalty",
  outdated: "outdated_penalty",
};
/** A larger difference means that the score was computed with other settings. */
const SUM_TOLERANCE = 0.015;
/** Smaller parts are not shown. */
const MIN_PART = 0.0005;

export function breakDownScore(
  { parts, score }: Pick<Item, "parts" | "score">,
  ranker: string,
  weights: ScoreWeights | undefined,
): ScoreBreakdown {
  const weighted = weights ? weightParts(parts, ranker, weights) : undefined;
  const sum = weighted?.reduce((total, part) => total + part.value, 0) ?? Number.NaN;
  if (weighted && Math.abs(sum - score) < SUM_TOLERANCE) return { score, parts: weighted, addsUp: true };
  return {
    score,
    parts: [
      ...collectParts(PARTS, (name) => parts[name]),
      ...collectParts(PENALTIES, (name) => -(parts[name] ?? 0)),
    ],
    addsUp: false,
  };
}

/** CSS variable of a part's color. Penalties are not drawn in the bar and share one neutral color. */
export function partColor(name: PartName): string {
  const at = COLORED_PARTS.indexOf(name === "fresh" ? "recency" : name);
  return at < 0 ? "--ink-soft" : `--part-${at + 1}`;
}

function weightParts(parts: Item["parts"], ranker: string, weights: ScoreWeights): Part[] | undefined {
  const weightedValue = (name: string) =>
    (weights[`recall.${WEIGHT_SETTINGS[name] ?? name}`] ?? 0) * (parts[name] ?? 0);
  const fresh = (parts["weight"] ?? 0) * (parts["recency"] ?? 0);
  const baseParts = ["dense", "lexical", "identifier"] as const;
  switch (ranker) {
    case "evidence": {
      const overrides: Partial<Record<PartName, number>> = {
        fresh: (weights["recall.freshness_weight"] ?? 0) * fresh,
        weight: 0,
        recency: 0,
      };
      return [
        ...collectParts(PARTS, (name) => overrides[name] ?? weightedValue(name)),
        ...collectParts(PENALTIES, (name) => -weightedValue(name)),
      ];
    }
    case "sum":
      return collectParts(baseParts, weightedValue);
    case "blend": {
      const boost = Math.min(
        Math.max(fresh, weights["recall.boost_min"] ?? 0),
        weights["recall.boost_max"] ?? 1,
      );
      return collectParts(baseParts, (name) => weightedValue(name) * boost);
    }
    default:
      return undefined;
  }
}

function collectParts<N extends PartName>(
  names: readonly N[],
  value: (name: N) => number | undefined,
): Part[] {
  return names
    .map((name) => ({ name, value: value(name) ?? 0 }))
    .filter((part) => Math.abs(part.value) > MIN_PART);
}

/** Numeric settings by name, with overrides applied. */
export function scoreWeights(
  settings: readonly Pick<Setting, "name" | "value">[],
  overrides: Readonly<Record<string, unknown>> = {},
): ScoreWeights {
  const current = settings.map((each): [string, unknown] => [each.name, overrides[each.name] ?? each.value]);
  return Object.fromEntries(current.filter((pair): pair is [string, number] => typeof pair[1] === "number"));
}

/** Current ranker and weights, shared by all score bars. */
class Scoring {
  weights = $state.raw<ScoreWeights | undefined>();
  ranker = $state("");
  /** True once loading finished or failed. Until then no parts are shown, because their values would change. */
  isLoaded = $state(false);

  /** Called by every view that shows scores, because settings may have changed. */
  async load(): Promise<void> {
    try {
      const { results } = await api.get("/api/settings");
      this.ranker = String(results.find((each) => each.name === "recall.ranker")?.value ?? "");
      this.weights = scoreWeights(results);
    } catch {
      // Without weights the raw feature values are shown.
    } finally {
      this.isLoaded = true;
    }
  }
}

export const scoring = new Scoring();
