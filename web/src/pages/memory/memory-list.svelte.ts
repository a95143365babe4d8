/** Data of the memory list: pages loaded on demand, or search hits. */

import { SvelteMap } from "svelte/reactivity";

import { api } from "../../api/client";
import { toProblem, isAbort, type Problem } from "../../api/problem";
import type { SearchHit, Memory, FacetCount, Reason } from "../../api/types";
import { countMatching, isSearch, type Filters } from "./filters";

const PAGE_SIZE = 100;
export type ListedMemory = Memory & Partial<Pick<SearchHit, "score" | "parts">>;

export class MemoryList {
  census = $state.raw<readonly FacetCount[] | undefined>();
  hits = $state.raw<readonly SearchHit[] | undefined>();
  degraded = $state.raw<readonly Reason[]>([]);
  problem = $state.raw<Problem | undefined>();
  loading = $state(false);
  #filters = $state.raw<Filters | undefined>();
  #pages = new SvelteMap<number, readonly Memory[]>();
  #requestedPages = new Set<number>();
  #controller = new AbortController();
  /** Substring that the census was counted for; null before the first one. */
  #censusSubstring: string | undefined | null = null;

  /** Number of rows. */
  get count(): number {
    if (!this.#filters) return 0;
    if (isSearch(this.#filters)) return this.hits?.length ?? 0;
    return countMatching(this.census ?? [], this.#filters);
  }

  /** Whether the first result has arrived. */
  get isReady(): boolean {
    return (
      this.#filters !== undefined &&
      (isSearch(this.#filters) ? this.hits !== undefined : this.census !== undefined)
    );
  }

  /** Substring filter for memories that are not active. */
  get #substring(): string | undefined {
    return this.#filters?.status === "active" ? undefined : this.#filters?.q.trim() || undefined;
  }

  /** Whether there are no memories at all. */
  get isEmpty(): boolean {
    return this.census?.length === 0 && !this.#substring;
  }

  itemAt = (index: number): ListedMemory | undefined => {
    if (this.#filters && isSearch(this.#filters)) return this.hits?.[index];
    return this.#pages.get(Math.floor(index / PAGE_SIZE))?.[index % PAGE_SIZE];
  };

  indexOf(id: string): number {
    if (this.#filters && isSearch(this.#filters)) return this.hits?.findIndex((each) => each.id === id) ?? -1;
    for (const [page, memories] of this.#pages) {
      const at = memories.findIndex((each) => each.id === id);
      if (at >= 0) return page * PAGE_SIZE + at;
    }
    return -1;
  }

  /** Apply other filters and abort running requests. */
  async applyFilters(filters: Filters): Promise<void> {
    this.#controller.abort();
    this.#controller = new AbortController();
    const isSearching = isSearch(filters);
    // Keep the old hits visible until the new ones arrive.
    if (!isSearching) this.hits = undefined;
    this.#filters = filters;
    this.#pages.clear();
    this.#requestedPages.clear();
    // The census depends only on the substring, not on the other filters.
    await this.#load(filters, this.#censusSubstring !== this.#substring);
  }

  /** Reload after a change; old rows stay visible meanwhile. */
  async refresh(): Promise<void> {
    const filters = this.#filters;
    if (!filters) return;
    const pages = [...this.#pages.keys()];
    await this.#load(filters, true);
    for (const page of pages) await this.#loadPage(page);
  }

  /** Replace one memory in place. */
  replace(memory: Memory): void {
    this.hits = this.hits?.map((each) => (each.id === memory.id ? { ...each, ...memory } : each));
    for (const [page, memories] of this.#pages) {
      if (memories.some((each) => each.id === memory.id)) {
        this.#pages.set(
          page,
          memories.map((each) => (each.id === memory.id ? memory : each)),
        );
      }
    }
  }

  loadRange = (first: number, last: number): void => {
    if (!this.#filters || isSearch(this.#filters)) return;
    for (let page = Math.floor(first / PAGE_SIZE); page <= Math.floor(last / PAGE_SIZE); page++) {
      if (this.#requestedPages.has(page)) continue;
      this.#requestedPages.add(page);
      void this.#loadPage(page);
    }
  };

  stop = (): void => this.#controller.abort();

  async #load(filters: Filters, count: boolean): Promise<void> {
    const { signal } = this.#controller;
    this.loading = true;
    try {
      const substring = this.#substring;
      const censusRequest = count
        ? api.get("/api/memory/census", { query: { contains: substring }, signal })
        : undefined;
      const searchRequest = isSearch(filters)
        ? api.post("/api/memory/find", {
            body: {
              query: filters.q,
              kind: filters.kind || null,
              origin: filters.origin || null,
              importance: filters.importance || null,
            },
            signal,
          })
        : undefined;
      const [census, searchResponse] = await Promise.all([censusRequest, searchRequest]);
      if (census) {
        this.census = census.results;
        this.#censusSubstring = substring;
      }
      if (searchResponse) this.hits = searchResponse.results;
      this.degraded = searchResponse?.degraded ?? [];
      this.problem = undefined;
    } catch (error) {
      if (!signal.aborted && !isAbort(error)) this.problem = toProblem(error);
    } finally {
      if (!signal.aborted) this.loading = false;
    }
  }

  async #loadPage(page: number): Promise<void> {
    const filters = this.#filters;
    const { signal } = this.#controller;
    if (!filters) return;
    try {
      const { results } = await api.get("/api/memory", {
        query: {
          status: filters.status,
          kind: filters.kind || undefined,
          origin: filters.origin || undefined,
          importance: filters.importance || undefined,
          contains: filters.q.trim() || undefined,
          limit: PAGE_SIZE,
          offset: page * PAGE_SIZE,
        },
        signal,
      });
      this.#pages.set(page, results);
    } catch (error) {
      this.#requestedPages.delete(page);
      if (!signal.aborted && !isAbort(error)) this.problem = toProblem(error);
    }
  }
}
