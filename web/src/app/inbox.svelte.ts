/** How many memories wait for the user: shown in the navigation, wherever one is. */

import { api } from "../api/client";

class Waiting {
  count = $state(0);

  look = async (): Promise<void> => {
    try {
      this.count = (await api.get("/api/memory/inbox", { query: { limit: 100 } })).results.length;
    } catch {
      // The page that is shown says what is wrong; a number does not.
    }
  };
}

/** Pages that accept, reject or learn call `waiting.look()`. */
export const waiting = new Waiting();
