/** Recall settings as sliders, and comparison of result rankings. */

import type { Item, Setting } from "../../api/types";

export type ParameterValue = boolean | number | string | string[];
export type ParameterValues = Readonly<Record<string, ParameterValue>>;
export type ParameterGroup = "main" | "evidence" | "size" | "rest";
export const PARAMETER_GROUPS: readonly ParameterGroup[] = ["main", "size", "evidence", "rest"];

const MAIN_PARAMETERS = new Set([
  "ranker",
  "hybrid",
  "alpha",
  "beta",
  "gamma",
  "min_cosine",
  "relative_cutoff",
  "half_life_days",
]);
const SIZE_PARAMETERS = new Set([
  "limit",
  "candidates_per_channel",
  "max_memories",
  "max_messages",
  "small_store_size",
  "fallback_count",
  "neighbour_candidates",
  "other_chats_below",
  "recent_chats",
]);
const EVIDENCE_PARAMETERS = new Set([
  "reply_weight",
  "previous_weight",
  "chat_weight",
  "lexical_lead_weight",
  "date_weight",
  "speaker_weight",
  "answer_type_weight",
  "personal_weight",
  "short_penalty",
  "question_penalty",
  "assistant_penalty",
  "freshness_weight",
  "outdated_penalty",
  "rerank_weight",
  "centroid_penalty",
]);
/** These do not affect ranking. */
const EXCLUDED_PARAMETERS = new Set(["enabled", "deadline_ms"]);
/** Slider maximums of settings without an upper bound. */
const SLIDER_MAXIMUMS: Record<string, number> = {
  limit: 50,
  candidates_per_channel: 200,
  max_memories: 20,
  max_messages: 20,
  small_store_size: 50,
  fallback_count: 50,
  neighbour_candidates: 100,
  other_chats_below: 20,
  recent_chats: 100,
  expand_max_chars: 500,
};

export const shortName = (name: string) => name.replace(/^recall\./, "");

export function isTunable(setting: Setting): boolean {
  return setting.name.startsWith("recall.") && !EXCLUDED_PARAMETERS.has(shortName(setting.name));
}

export function parameterGroup(name: string): ParameterGroup {
  const short = shortName(name);
  return MAIN_PARAMETERS.has(short)
    ? "main"
    : SIZE_PARAMETERS.has(short)
      ? "size"
      : EVIDENCE_PARAMETERS.has(short)
        ? "evidence"
        : "rest";
}

export interface SliderRange {
  min: number;
  max: number;
  step: number;
}

/** Slider range; it always includes the current value. */
export function sliderRange(
  setting: Pick<Setting, "name" | "kind" | "low" | "high" | "value" | "default">,
): SliderRange {
  const value = Number(setting.value);
  const min = setting.low ?? 0;
  if (setting.kind === "whole number") {
    const maximum =
      setting.high ?? SLIDER_MAXIMUMS[shortName(setting.name)] ?? 10 * Math.max(Number(setting.default), 1);
    return { min, max: Math.max(maximum, value), step: 1 };
  }
  if (shortName(setting.name) === "half_life_days") return { min: 1, max: Math.max(730, value), step: 1 };
  const maximum = setting.high ?? Math.max(2, 2 * Number(setting.default));
  return { min, max: Math.max(maximum, value), step: 0.01 };
}

/** Values that differ from the saved settings. */
export function changedValues(
  values: ParameterValues,
  settings: readonly Setting[],
): Record<string, ParameterValue> {
  const current = new Map(settings.map((each) => [each.name, each.value]));
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => current.has(name) && current.get(name) !== value),
  );
}

/** All tunable values of a preset; those it does not define have their defaults. */
export function presetParameters(
  settings: readonly Setting[],
  values: Readonly<Record<string, unknown>>,
): Record<string, ParameterValue> {
  const tunable = settings.filter(isTunable);
  return Object.fromEntries(
    tunable.map((each) => [each.name, (values[each.name] ?? each.default) as ParameterValue]),
  );
}

export type RankChange = { kind: "new" | "same" } | { kind: "up" | "down"; by: number };

/** How far an item moved; indexes start at 0. */
export function rankChange(id: string, index: number, before: readonly string[]): RankChange {
  const previousIndex = before.indexOf(id);
  if (previousIndex < 0) return { kind: "new" };
  if (previousIndex === index) return { kind: "same" };
  return previousIndex > index
    ? { kind: "up", by: previousIndex - index }
    : { kind: "down", by: index - previousIndex };
}

export const includedItems = (items: readonly Item[]) =>
  items.filter((item) => item.disposition !== "left_out");
export const leftOutItems = (items: readonly Item[]) =>
  items.filter((item) => item.disposition === "left_out");

export interface Label {
  query: string;
  relevant: string[] | Record<string, number>;
}

/** Parse JSON lines; `bad` is the number of the first invalid line. */
export function parseLabels(text: string): { labels: Label[]; bad: number | undefined } {
  const labels: Label[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (!line.trim()) continue;
    const label = parseLabel(line);
    if (!label) return { labels: labels, bad: at + 1 };
    labels.push(label);
  }
  return { labels: labels, bad: undefined };
}

function parseLabel(line: string): Label | undefined {
  try {
    const value = JSON.parse(line) as Partial<Label> | null;
    const isLabel =
      typeof value === "object" &&
      typeof value?.query === "string" &&
      typeof value.relevant === "object" &&
      value.relevant !== null;
    return isLabel
      ? { query: value.query as string, relevant: value.relevant as Label["relevant"] }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Wait, or reject with AbortError when a newer request replaces this one. */
export function debounce(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("", "AbortError"));
    });
  });
}
