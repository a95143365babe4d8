/** Connection state and session of the signed-in user. */

import { problemFromResponse, isAbort, offlineProblem, Problem } from "./problem";

export interface Session {
  user: string;
  admin: boolean;
  csrf: string;
}

/** Time between reconnection attempts. */
const RETRY_INTERVAL_MS = 3000;

class Connection {
  session = $state<Session | null>(null);
  /** The server answered that there is no session. */
  isSignedOut = $state(false);
  isOffline = $state(false);
  #retryTimer: ReturnType<typeof setInterval> | undefined;

  /** Fetch wrapper used by every request: tracks connection state and throws `Problem`. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    try {
      const response = await fetch(path, { credentials: "same-origin", redirect: "error", ...init });
      this.#markOnline();
      if (response.ok) return response;
      const problem = await problemFromResponse(response);
      if (problem.isUnauthorized) this.isSignedOut = true;
      throw problem;
    } catch (error) {
      if (error instanceof Problem || isAbort(error)) throw error;
      this.#markOffline();
      throw offlineProblem();
    }
  }

  async loadSession(): Promise<void> {
    const response = await this.fetch("/session");
    this.session = (await response.json()) as Session;
    this.isSignedOut = false;
  }

  #markOnline(): void {
    this.isOffline = false;
    clearInterval(this.#retryTimer);
    this.#retryTimer = undefined;
  }

  #markOffline(): void {
    this.isOffline = true;
    this.#retryTimer ??= setInterval(() => {
      // A restarted server has no sessions, so reload ours; success also proves that the server is reachable.
      this.loadSession().catch(() => undefined);
    }, RETRY_INTERVAL_MS);
  }
}

export const connection = new Connection();
