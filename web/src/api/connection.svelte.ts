/** Whether the server answers, and who is logged in. */

import { asProblem, isAbort, offline, Problem } from "./problem";

export interface Session {
  user: string;
  admin: boolean;
  csrf: string;
}

/** Milliseconds between looks at a server that does not answer. */
const PATIENCE = 3000;

class Connection {
  session = $state<Session | null>(null);
  /** The server was asked, and knows nobody. */
  stranger = $state(false);
  lost = $state(false);
  #looking: ReturnType<typeof setInterval> | undefined;

  /** Every request of the app goes through here. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    try {
      const response = await fetch(path, { credentials: "same-origin", redirect: "error", ...init });
      this.#found();
      if (response.ok) return response;
      const problem = await asProblem(response);
      if (problem.isStranger) this.stranger = true;
      throw problem;
    } catch (error) {
      if (error instanceof Problem || isAbort(error)) throw error;
      this.#lose();
      throw offline();
    }
  }

  async open(): Promise<void> {
    const response = await this.fetch("/session");
    this.session = (await response.json()) as Session;
    this.stranger = false;
  }

  #found(): void {
    this.lost = false;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }

  #lose(): void {
    this.lost = true;
    this.#looking ??= setInterval(() => {
      // A server that was started again knows nobody: ask who we are, which also says that it is there.
      this.open().catch(() => undefined);
    }, PATIENCE);
  }
}

export const connection = new Connection();
