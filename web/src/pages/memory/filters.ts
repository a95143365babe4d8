/** What the list is narrowed to. It stands in the address, so that it can be kept and shared. */

import { BANDS, KINDS, ORIGINS, STANDINGS, type Band, type Kind, type Origin, type Sort, type Standing } from "../../api/types";

export interface Filters {
  q: string;
  standing: Standing;
  kind: Kind | "";
  origin: Origin | "";
  importance: Band | "";
}
export type Facet = "standing" | "kind" | "origin" | "importance";

export const FACETS = { standing: STANDINGS, kind: KINDS, origin: ORIGINS, importance: BANDS } as const;

export function read(query: URLSearchParams): Filters {
  return {
    q: query.get("q") ?? "",
    standing: one(STANDINGS, query.get("standing")) || "active",
    kind: one(KINDS, query.get("kind")),
    origin: one(ORIGINS, query.get("origin")),
    importance: one(BANDS, query.get("importance")),
  };
}

function one<V extends string>(known: readonly V[], given: string | null): V | "" {
  return known.find((each) => each === given) ?? "";
}

/** How many memories there are with these filters; `but` leaves one of them open, for its own choices. */
export function count(census: readonly Sort[], filters: Filters, but?: Facet, value?: string): number {
  const wanted = { ...filters, ...(but ? { [but]: value ?? "" } : {}) };
  const facets = Object.keys(FACETS) as Facet[];
  return census
    .filter((sort) => facets.every((facet) => !wanted[facet] || sort[facet] === wanted[facet]))
    .reduce((sum, sort) => sum + sort.count, 0);
}

/** The engine finds what is in use; what was put away is found by its letters. */
export function isAsked(filters: Filters): boolean {
  return filters.q.trim() !== "" && filters.standing === "active";
}

export function isNarrowed(filters: Filters): boolean {
  return !!(filters.q.trim() || filters.kind || filters.origin || filters.importance) || filters.standing !== "active";
}
