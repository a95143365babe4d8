/** What a score is made of: each part of it times the share that the settings give it. */

import { api } from "./client";

export interface Contribution {
  name: string;
  value: number;
}
export type Shares = Record<string, number>;

/** Parts and the settings that hold their shares; what speaks against a passage is taken off. */
const SHARES: Record<string, [setting: string, sign: 1 | -1]> = {
  dense: ["recall.alpha", 1],
  lexical: ["recall.beta", 1],
  identifier: ["recall.gamma", 1],
  answer: ["recall.answer", 1],
  follow: ["recall.follow", 1],
  chat: ["recall.chat", 1],
  lead: ["recall.lead", 1],
  date: ["recall.date", 1],
  speaker: ["recall.speaker", 1],
  sort: ["recall.sort", 1],
  personal: ["recall.personal", 1],
  short: ["recall.short", -1],
  asks: ["recall.asks", -1],
  assistant: ["recall.assistant", -1],
};
const FRESH = "recall.fresh";
/** The rankers whose score is a sum. */
const SUMS = new Set(["evidence", "sum"]);

/** The shares of now. Settings may have changed since a receipt was written; its own score stays what it was. */
export async function shares(signal?: AbortSignal): Promise<Shares> {
  const { results } = await api.get("/api/settings", { signal });
  return Object.fromEntries(
    results.filter((each) => each.name.startsWith("recall.") && typeof each.value === "number").map((each) => [each.name, each.value as number]),
  );
}

/** The parts as they count, largest first. Rankers that multiply have no sum: their parts are shown as they are. */
export function contributions(parts: Record<string, number>, shares: Shares, ranker = "evidence"): Contribution[] {
  if (!SUMS.has(ranker)) return Object.entries(parts).map(([name, value]) => ({ name, value }));
  const counted = Object.entries(parts).flatMap(([name, value]): Contribution[] => {
    const share = SHARES[name];
    return share ? [{ name, value: share[1] * value * (shares[share[0]] ?? 0) }] : [];
  });
  const fresh = (parts["weight"] ?? 0) * (parts["recency"] ?? 0) * (shares[FRESH] ?? 0);
  if (ranker === "evidence") counted.push({ name: "fresh", value: fresh });
  return counted.filter((each) => each.value !== 0).sort((a, b) => b.value - a.value);
}
