/** List filters, stored in the URL so that they can be bookmarked. */

import {
  IMPORTANCE_BANDS,
  KINDS,
  ORIGINS,
  MEMORY_STATUSES,
  type ImportanceBand,
  type Kind,
  type Origin,
  type FacetCount,
  type MemoryStatus,
} from "../../api/types";

export interface Filters {
  q: string;
  status: MemoryStatus;
  kind: Kind | "";
  origin: Origin | "";
  importance: ImportanceBand | "";
}
export type Facet = "status" | "kind" | "origin" | "importance";

export const FACETS = {
  status: MEMORY_STATUSES,
  kind: KINDS,
  origin: ORIGINS,
  importance: IMPORTANCE_BANDS,
} as const;

export function parseFilters(query: URLSearchParams): Filters {
  return {
    q: query.get("q") ?? "",
    status: oneOf(MEMORY_STATUSES, query.get("status")) || "active",
    kind: oneOf(KINDS, query.get("kind")),
    origin: oneOf(ORIGINS, query.get("origin")),
    importance: oneOf(IMPORTANCE_BANDS, query.get("importance")),
  };
}

function oneOf<V extends string>(allowed: readonly V[], value: string | null): V | "" {
  return allowed.find((each) => each === value) ?? "";
}

/** Count memories that match the filters, with one facet optionally overridden. */
export function countMatching(
  census: readonly FacetCount[],
  filters: Filters,
  overriddenFacet?: Facet,
  value?: string,
): number {
  const effective = { ...filters, ...(overriddenFacet ? { [overriddenFacet]: value ?? "" } : {}) };
  const facets = Object.keys(FACETS) as Facet[];
  return census
    .filter((sort) => facets.every((facet) => !effective[facet] || sort[facet] === effective[facet]))
    .reduce((sum, sort) => sum + sort.count, 0);
}

/** Active memories are searched with the retrieval engine, others by substring. */
export function isSearch(filters: Filters): boolean {
  return filters.q.trim() !== "" && filters.status === "active";
}

export function hasFilters(filters: Filters): boolean {
  return (
    !!(filters.q.trim() || filters.kind || filters.origin || filters.importance) ||
    filters.status !== "active"
  );
}
