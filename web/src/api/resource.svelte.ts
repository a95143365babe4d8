/** Something that is fetched, shown, and fetched again: what a Panel shows. */

import { asThrown, isAbort, type Problem } from "./problem";

export class Resource<T> {
  data = $state.raw<T | undefined>();
  problem = $state.raw<Problem | undefined>();
  loading = $state(false);
  #fetch: (signal: AbortSignal) => Promise<T>;
  #running: AbortController | undefined;

  constructor(fetch: (signal: AbortSignal) => Promise<T>) {
    this.#fetch = fetch;
  }

  /** Fetch it, again if need be; whatever is under way is left. What was there stays until the new is here. */
  reload = async (): Promise<void> => {
    this.#running?.abort();
    const running = (this.#running = new AbortController());
    this.loading = true;
    try {
      this.data = await this.#fetch(running.signal);
      this.problem = undefined;
    } catch (error) {
      if (running.signal.aborted || isAbort(error)) return;
      this.problem = asThrown(error);
    } finally {
      if (this.#running === running) this.loading = false;
    }
  };

  stop = (): void => {
    this.#running?.abort();
    this.loading = false;
  };
}

/**
 * In a component: fetches at once and whenever something that `fetch` reads before its first await changes.
 * `const memory = resource((signal) => api.get("/api/memory/{memory_id}", { path: { memory_id: id }, signal }))`
 */
export function resource<T>(fetch: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const made = new Resource(fetch);
  $effect(() => {
    void made.reload();
    return made.stop;
  });
  return made;
}
