/** Settings of the user that the chat shows: how memory is used elsewhere, and the budget. */

import { api } from "../../api/client";
import type { Mode } from "../../api/types";

export const MODE = "memory.mode";
export const BUDGET = "context.budget";

class Habits {
  mode = $state<Mode | undefined>();
  budget = $state<number | undefined>();

  look = async (): Promise<void> => {
    try {
      const [mode, budget] = await Promise.all([
        api.get("/api/settings/{name}", { path: { name: MODE } }),
        api.get("/api/settings/{name}", { path: { name: BUDGET } }),
      ]);
      this.mode = mode.value as Mode;
      this.budget = budget.value as number;
    } catch {
      // The chat works without; the meter then shows the last turn alone.
    }
  };

  spend = async (budget: number): Promise<void> => {
    const { value } = await api.put("/api/settings/{name}", { path: { name: BUDGET }, body: { value: budget } });
    this.budget = value as number;
  };

  /** Whether what is said is kept, as far as is known. */
  listens(mode: Mode | null): boolean {
    const now = mode ?? this.mode;
    return now === "on" || now === "collect_only";
  }
}

export const habits = new Habits();
