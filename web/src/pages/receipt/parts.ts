/** What a score is made of: each part by what it adds, if today's settings explain the score, else as it was found. */

import type { Item } from "../../api/types";

/** In this order, so that each keeps its colour. */
export const PARTS = [
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
export const AGAINST = ["short", "asks", "assistant", "outdated"] as const;
export type PartName = (typeof PARTS)[number] | (typeof AGAINST)[number];
/** Settings by name, like `recall.alpha`. */
export type Shares = Readonly<Record<string, number>>;

export interface Part {
  name: PartName;
  value: number;
}
export interface Made {
  /** What speaks for it, and, below zero, what speaks against it. */
  parts: Part[];
  /** Whether the parts add up to the score. */
  adds: boolean;
}

const OWN: Readonly<Record<string, string>> = { dense: "alpha", lexical: "beta", identifier: "gamma" };
/** A sum that is further away than this was made with other settings. */
const NEAR = 0.015;
/** Less is not worth a word. */
const LEAST = 0.0005;

export function made(item: Pick<Item, "parts" | "score">, ranker: string, shares: Shares | undefined): Made {
  const added = shares ? weighed(item.parts, ranker, shares) : undefined;
  const sum = added?.reduce((total, part) => total + part.value, 0) ?? Number.NaN;
  if (added && Math.abs(sum - item.score) < NEAR) return { parts: added, adds: true };
  return { parts: [...found(PARTS, (name) => item.parts[name]), ...found(AGAINST, (name) => -(item.parts[name] ?? 0))], adds: false };
}

function weighed(parts: Item["parts"], ranker: string, shares: Shares): Part[] | undefined {
  const worth = (name: string) => (shares[`recall.${OWN[name] ?? name}`] ?? 0) * (parts[name] ?? 0);
  const fresh = (parts["weight"] ?? 0) * (parts["recency"] ?? 0);
  const own = ["dense", "lexical", "identifier"] as const;
  switch (ranker) {
    case "evidence": {
      const counted: Partial<Record<PartName, number>> = { fresh: (shares["recall.fresh"] ?? 0) * fresh, weight: 0, recency: 0 };
      return [...found(PARTS, (name) => counted[name] ?? worth(name)), ...found(AGAINST, (name) => -worth(name))];
    }
    case "sum":
      return found(own, worth);
    case "blend": {
      const boost = Math.min(Math.max(fresh, shares["recall.boost_min"] ?? 0), shares["recall.boost_max"] ?? 1);
      return found(own, (name) => worth(name) * boost);
    }
    default:
      return undefined;
  }
}

function found<N extends PartName>(names: readonly N[], value: (name: N) => number | undefined): Part[] {
  return names.map((name) => ({ name, value: value(name) ?? 0 })).filter((part) => Math.abs(part.value) > LEAST);
}
