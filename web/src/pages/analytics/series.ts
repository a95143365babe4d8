/** Steps in time as the lines of a chart. */

import type { Schemas } from "../../api/types";

export type Step = Schemas["SpanStep"];
export type Quantile = "p50" | "p95" | "p99";

export const RANGES = [24, 168, 720] as const;
export type Range = (typeof RANGES)[number];
/** Into how many steps a range is cut: hours, six hours, days. */
export const STEPS: Record<Range, number> = { 24: 24, 168: 28, 720: 30 };
const PARTS = ["total", "embed", "lexical", "dense", "rank", "around", "assemble"] as const;
export type Part = (typeof PARTS)[number];

export function rangeOf(text: string | null): Range {
  return RANGES.find((each) => String(each) === text) ?? 168;
}

export function seconds(steps: readonly Step[]): number[] {
  return steps.map((step) => new Date(step.at).getTime() / 1000);
}

/** The parts that were measured, in the order in which they happen. */
export function partsOf(latency: Schemas["WholeSpan"]["latency"]): Part[] {
  return PARTS.filter((part) => part in latency);
}

/** A step in which nothing was recalled leaves a gap. */
export function latency(steps: readonly Step[], part: string, quantile: Quantile): (number | null)[] {
  return steps.map((step) => step.latency[part]?.[quantile] ?? null);
}

export function hits(steps: readonly Step[]): (number | null)[] {
  return steps.map((step) => (step.recalls ? step.hitRate : null));
}

export function sorted(counts: Record<string, number>): [string, number][] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort(([, one], [, other]) => other - one);
}
