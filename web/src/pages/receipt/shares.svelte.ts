/** How much each part of a score counts with the settings of now; asked for once. */

import { api } from "../../api/client";
import type { Shares } from "./parts";

class Current {
  now = $state.raw<Shares | undefined>();
  #asked = false;

  async look(): Promise<void> {
    if (this.#asked) return;
    this.#asked = true;
    try {
      const { results } = await api.get("/api/settings");
      const numbers = results.filter((row) => row.name.startsWith("recall.") && typeof row.value === "number");
      this.now = Object.fromEntries(numbers.map((row) => [row.name, row.value as number]));
    } catch {
      // Without them the parts are shown as they were found.
      this.#asked = false;
    }
  }
}

export const shares = new Current();
