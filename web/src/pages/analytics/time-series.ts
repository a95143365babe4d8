/** Converts insight steps to chart series. */

import type { Schemas } from "../../api/types";

export type Step = Schemas["MetricsIntervalResponse"];
export type Quantile = "p50" | "p95" | "p99";

export const RANGE_HOURS = [24, 168, 720] as const;
export type RangeHours = (typeof RANGE_HOURS)[number];
/** Steps for each range: one hour, six hours, one day. */
export const STEPS_PER_RANGE: Record<RangeHours, number> = { 24: 24, 168: 28, 720: 30 };
const LATENCY_PARTS = ["total", "embed", "lexical", "dense", "rank", "around", "assemble"] as const;
export type LatencyPart = (typeof LATENCY_PARTS)[number];

export function parseRange(text: string | null): RangeHours {
  return RANGE_HOURS.find((each) => String(each) === text) ?? 168;
}

export function toSeconds(steps: readonly Step[]): number[] {
  return steps.map((step) => new Date(step.at).getTime() / 1000);
}

/** Measured stages, in execution order. */
export function measuredParts(latencySeries: Schemas["PeriodMetricsResponse"]["latency"]): LatencyPart[] {
  return LATENCY_PARTS.filter((part) => part in latencySeries);
}

/** Steps without recalls are gaps. */
export function latencySeries(steps: readonly Step[], part: string, quantile: Quantile): (number | null)[] {
  return steps.map((step) => step.latency[part]?.[quantile] ?? null);
}

export function hitRateSeries(steps: readonly Step[]): (number | null)[] {
  return steps.map((step) => (step.recalls ? step.hitRate : null));
}

export function sortByCount(counts: Record<string, number>): [string, number][] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a);
}
