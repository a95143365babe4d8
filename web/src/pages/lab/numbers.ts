/** The settings of recall as sliders, and what they do to the order of results. */

import type { Item, Setting } from "../../api/types";

export type Value = boolean | number | string | string[];
export type Values = Readonly<Record<string, Value>>;
export type Group = "main" | "evidence" | "size" | "rest";
export const GROUPS: readonly Group[] = ["main", "size", "evidence", "rest"];

const MAIN = new Set(["ranker", "hybrid", "alpha", "beta", "gamma", "floor", "cliff", "half_life_days"]);
const SIZE = new Set(["limit", "fetch", "facts", "history", "small_set", "recent", "around", "reach_below", "chats"]);
const EVIDENCE = new Set(["answer", "follow", "chat", "lead", "date", "speaker", "sort", "personal", "short", "asks", "assistant", "fresh", "outdated", "reread"]);
/** What is about whether and how long, and not about which: it has no place here. */
const ELSEWHERE = new Set(["enabled", "deadline_ms"]);
/** How far a slider goes where nothing sensible is too much. */
const FAR: Record<string, number> = { limit: 50, fetch: 200, facts: 20, history: 20, small_set: 50, recent: 50, around: 100, reach_below: 20, chats: 100, expand_chars: 500 };

export const own = (name: string) => name.replace(/^recall\./, "");

export function isTried(setting: Setting): boolean {
  return setting.name.startsWith("recall.") && !ELSEWHERE.has(own(setting.name));
}

export function groupOf(name: string): Group {
  const short = own(name);
  return MAIN.has(short) ? "main" : SIZE.has(short) ? "size" : EVIDENCE.has(short) ? "evidence" : "rest";
}

export interface Slide {
  min: number;
  max: number;
  step: number;
}

/** Where a slider begins and ends. It always reaches the value that holds. */
export function slide(setting: Pick<Setting, "name" | "kind" | "low" | "high" | "value" | "default">): Slide {
  const value = Number(setting.value);
  const min = setting.low ?? 0;
  if (setting.kind === "whole number") {
    const far = setting.high ?? FAR[own(setting.name)] ?? 10 * Math.max(Number(setting.default), 1);
    return { min, max: Math.max(far, value), step: 1 };
  }
  if (own(setting.name) === "half_life_days") return { min: 1, max: Math.max(730, value), step: 1 };
  const far = setting.high ?? Math.max(2, 2 * Number(setting.default));
  return { min, max: Math.max(far, value), step: 0.01 };
}

/** What differs from what holds; only that is sent. */
export function different(values: Values, settings: readonly Setting[]): Record<string, Value> {
  const held = new Map(settings.map((each) => [each.name, each.value]));
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => held.has(name) && held.get(name) !== value));
}

/** A preset as numbers of its own: what it does not say is the default's, not the user's. */
export function presetValues(settings: readonly Setting[], values: Readonly<Record<string, unknown>>): Record<string, Value> {
  const tried = settings.filter(isTried);
  return Object.fromEntries(tried.map((each) => [each.name, (values[each.name] ?? each.default) as Value]));
}

export type Move = { kind: "new" | "same" } | { kind: "up" | "down"; by: number };

/** How far a passage moved; places begin at 0. */
export function move(id: string, place: number, before: readonly string[]): Move {
  const was = before.indexOf(id);
  if (was < 0) return { kind: "new" };
  if (was === place) return { kind: "same" };
  return was > place ? { kind: "up", by: was - place } : { kind: "down", by: place - was };
}

export const handed = (items: readonly Item[]) => items.filter((item) => item.fate !== "left_out");
export const leftOut = (items: readonly Item[]) => items.filter((item) => item.fate === "left_out");

export interface Label {
  query: string;
  relevant: string[] | Record<string, number>;
}

/** Labels from lines; a line that is none is told by its number. */
export function labels(text: string): { labels: Label[]; bad: number | undefined } {
  const found: Label[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (!line.trim()) continue;
    const label = parsed(line);
    if (!label) return { labels: found, bad: at + 1 };
    found.push(label);
  }
  return { labels: found, bad: undefined };
}

function parsed(line: string): Label | undefined {
  try {
    const value = JSON.parse(line) as Partial<Label> | null;
    const isLabel = typeof value === "object" && typeof value?.query === "string" && typeof value.relevant === "object" && value.relevant !== null;
    return isLabel ? { query: value.query as string, relevant: value.relevant as Label["relevant"] } : undefined;
  } catch {
    return undefined;
  }
}

/** Wait, unless somebody no longer wants it: what is moved quickly is asked for once. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("", "AbortError"));
    });
  });
}
