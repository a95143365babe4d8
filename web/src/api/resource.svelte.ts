/** Fetched data with loading and error state, rendered by ResourcePanel. */

import { toProblem, isAbort, type Problem } from "./problem";

export class Resource<T> {
  data = $state.raw<T | undefined>();
  problem = $state.raw<Problem | undefined>();
  loading = $state(false);
  #fetch: (signal: AbortSignal) => Promise<T>;
  #controller: AbortController | undefined;

  constructor(fetch: (signal: AbortSignal) => Promise<T>) {
    this.#fetch = fetch;
  }

  /** Fetch again. A running request is aborted; old data stays visible until new data arrives. */
  reload = async (): Promise<void> => {
    this.#controller?.abort();
    const controller = (this.#controller = new AbortController());
    this.loading = true;
    try {
      this.data = await this.#fetch(controller.signal);
      this.problem = undefined;
    } catch (error) {
      if (controller.signal.aborted || isAbort(error)) return;
      this.problem = toProblem(error);
    } finally {
      if (this.#controller === controller) this.loading = false;
    }
  };

  stop = (): void => {
    this.#controller?.abort();
    this.loading = false;
  };
}

/**
 * In a component: fetch now, and again when a value that `fetch` reads before its first await changes.
 * `const memory = resource((signal) => api.get("/api/memory/{memory_id}", { path: { memory_id: id }, signal }))`
 */
export function resource<T>(fetch: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const created = new Resource(fetch);
  $effect(() => {
    void created.reload();
    return created.stop;
  });
  return created;
}
