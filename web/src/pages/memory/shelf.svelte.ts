/** The memories of the list: all of them page by page as they come into sight, or what a search found. */

import { SvelteMap } from "svelte/reactivity";

import { api } from "../../api/client";
import { asThrown, isAbort, type Problem } from "../../api/problem";
import type { FoundMemory, Memory, Sort } from "../../api/types";
import { count, isAsked, type Filters } from "./filters";

const PAGE = 100;
export type Shown = Memory & Partial<Pick<FoundMemory, "score" | "parts">>;

export class Shelf {
  census = $state.raw<readonly Sort[] | undefined>();
  found = $state.raw<readonly FoundMemory[] | undefined>();
  degraded = $state.raw<readonly string[]>([]);
  problem = $state.raw<Problem | undefined>();
  loading = $state(false);
  #filters = $state.raw<Filters | undefined>();
  #pages = new SvelteMap<number, readonly Memory[]>();
  #asked = new Set<number>();
  #running = new AbortController();
  /** The letters that the census is of; null before there is one. */
  #countedFor: string | undefined | null = null;

  /** How many rows the list has. */
  get count(): number {
    if (!this.#filters) return 0;
    if (isAsked(this.#filters)) return this.found?.length ?? 0;
    return count(this.census ?? [], this.#filters);
  }

  /** Whether it is known what there is. */
  get ready(): boolean {
    return this.#filters !== undefined && (isAsked(this.#filters) ? this.found !== undefined : this.census !== undefined);
  }

  /** What is looked for in what was put away. */
  get #letters(): string | undefined {
    return this.#filters?.standing === "active" ? undefined : this.#filters?.q.trim() || undefined;
  }

  /** Whether nothing at all is remembered. */
  get bare(): boolean {
    return this.census?.length === 0 && !this.#letters;
  }

  at = (index: number): Shown | undefined => {
    if (this.#filters && isAsked(this.#filters)) return this.found?.[index];
    return this.#pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  };

  indexOf(id: string): number {
    if (this.#filters && isAsked(this.#filters)) return this.found?.findIndex((each) => each.id === id) ?? -1;
    for (const [page, memories] of this.#pages) {
      const at = memories.findIndex((each) => each.id === id);
      if (at >= 0) return page * PAGE + at;
    }
    return -1;
  }

  /** Show something else; whatever is on its way is left. */
  async show(filters: Filters): Promise<void> {
    this.#running.abort();
    this.#running = new AbortController();
    const asks = isAsked(filters);
    // What was found stays in sight until the next letter's answer is here.
    if (!asks) this.found = undefined;
    this.#filters = filters;
    this.#pages.clear();
    this.#asked.clear();
    // How many there are of what does not change with what of it is looked at.
    await this.#load(filters, this.#countedFor !== this.#letters);
  }

  /** Look again after a change, and keep showing what was there until the new is here. */
  async refresh(): Promise<void> {
    const filters = this.#filters;
    if (!filters) return;
    const pages = [...this.#pages.keys()];
    await this.#load(filters, true);
    for (const page of pages) await this.#page(page);
  }

  /** One memory changed and stays where it is. */
  put(memory: Memory): void {
    this.found = this.found?.map((each) => (each.id === memory.id ? { ...each, ...memory } : each));
    for (const [page, memories] of this.#pages) {
      if (memories.some((each) => each.id === memory.id)) {
        this.#pages.set(page, memories.map((each) => (each.id === memory.id ? memory : each)));
      }
    }
  }

  need = (first: number, last: number): void => {
    if (!this.#filters || isAsked(this.#filters)) return;
    for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page++) {
      if (this.#asked.has(page)) continue;
      this.#asked.add(page);
      void this.#page(page);
    }
  };

  stop = (): void => this.#running.abort();

  async #load(filters: Filters, count: boolean): Promise<void> {
    const { signal } = this.#running;
    this.loading = true;
    try {
      const letters = this.#letters;
      const counted = count ? api.get("/api/memory/census", { query: { contains: letters }, signal }) : undefined;
      const found = isAsked(filters)
        ? api.post("/api/memory/find", {
            body: { query: filters.q, kind: filters.kind || null, origin: filters.origin || null, importance: filters.importance || null },
            signal,
          })
        : undefined;
      const [census, answer] = await Promise.all([counted, found]);
      if (census) {
        this.census = census.results;
        this.#countedFor = letters;
      }
      if (answer) this.found = answer.results;
      this.degraded = answer?.degraded ?? [];
      this.problem = undefined;
    } catch (error) {
      if (!signal.aborted && !isAbort(error)) this.problem = asThrown(error);
    } finally {
      if (!signal.aborted) this.loading = false;
    }
  }

  async #page(page: number): Promise<void> {
    const filters = this.#filters;
    const { signal } = this.#running;
    if (!filters) return;
    try {
      const { results } = await api.get("/api/memory", {
        query: {
          standing: filters.standing,
          kind: filters.kind || undefined,
          origin: filters.origin || undefined,
          importance: filters.importance || undefined,
          contains: filters.q.trim() || undefined,
          limit: PAGE,
          offset: page * PAGE,
        },
        signal,
      });
      this.#pages.set(page, results);
    } catch (error) {
      this.#asked.delete(page);
      if (!signal.aborted && !isAbort(error)) this.problem = asThrown(error);
    }
  }
}
