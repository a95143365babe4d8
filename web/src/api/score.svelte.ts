/**
 * What a score is made of: each part by what it adds, if today's settings explain the score, else as it was found; and
 * the settings that say so.
 */

import { api } from "./client";
import type { Item, Setting } from "./types";

/** In the order of a bar. */
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
const AGAINST = ["short", "asks", "assistant", "outdated"] as const;
type PartName = (typeof PARTS)[number] | (typeof AGAINST)[number];
/** Each has a colour of its own, the same in every bar. */
const COLOURED: readonly PartName[] = [
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
/** Settings by name, like `recall.alpha`. */
export type Shares = Readonly<Record<string, number>>;

export interface Part {
  name: PartName;
  value: number;
}
export interface Made {
  score: number;
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

export function made({ parts, score }: Pick<Item, "parts" | "score">, ranker: string, shares: Shares | undefined): Made {
  const added = shares ? weighed(parts, ranker, shares) : undefined;
  const sum = added?.reduce((total, part) => total + part.value, 0) ?? Number.NaN;
  if (added && Math.abs(sum - score) < NEAR) return { score, parts: added, adds: true };
  return { score, parts: [...found(PARTS, (name) => parts[name]), ...found(AGAINST, (name) => -(parts[name] ?? 0))], adds: false };
}

/** The token of a part's colour; what speaks against a passage fills no bar and has none of its own. */
export function colourOf(name: PartName): string {
  const at = COLOURED.indexOf(name === "fresh" ? "recency" : name);
  return at < 0 ? "--ink-soft" : `--part-${at + 1}`;
}

function weighed(parts: Item["parts"], ranker: string, shares: Shares): Part[] | undefined {
  const worth = (name: string) => (shares[`recall.${OWN[name] ?? name}`] ?? 0) * (parts[name] ?? 0);
  const fresh = (parts["weight"] ?? 0) * (parts["recency"] ?? 0);
  const own = ["dense", "lexical", "identifier"] as const;
  switch (ranker) {
    case "evidence": {
      const counted: Partial<Record<PartName, number>> = { fresh: (shares["recall.freshness_weight"] ?? 0) * fresh, weight: 0, recency: 0 };
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

/** How much each part counts with these settings, or with what is tried in their place. */
export function sharesOf(settings: readonly Pick<Setting, "name" | "value">[], tried: Readonly<Record<string, unknown>> = {}): Shares {
  const held = settings.map((each): [string, unknown] => [each.name, tried[each.name] ?? each.value]);
  return Object.fromEntries(held.filter((pair): pair is [string, number] => typeof pair[1] === "number"));
}

/** The settings of now, as far as scores are concerned. */
class Scoring {
  shares = $state.raw<Shares | undefined>();
  ranker = $state("");
  /** Whether they are here, or will not come. Before that no part is shown: its figure would change under the eye. */
  looked = $state(false);

  /** Whoever shows scores looks when it opens: settings change. */
  async look(): Promise<void> {
    try {
      const { results } = await api.get("/api/settings");
      this.ranker = String(results.find((each) => each.name === "recall.ranker")?.value ?? "");
      this.shares = sharesOf(results);
    } catch {
      // Without them the parts are shown as they were found.
    } finally {
      this.looked = true;
    }
  }
}

export const scoring = new Scoring();
