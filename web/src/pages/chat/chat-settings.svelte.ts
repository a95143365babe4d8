/** User settings shown on the chat page: default memory mode and token budget. */

import { api } from "../../api/client";
import type { Mode } from "../../api/types";

export const MODE_SETTING = "memory.mode";
export const BUDGET_SETTING = "context.budget";

class ChatSettings {
  mode = $state<Mode | undefined>();
  budget = $state<number | undefined>();

  load = async (): Promise<void> => {
    try {
      const [mode, budget] = await Promise.all([
        api.get("/api/settings/{name}", { path: { name: MODE_SETTING } }),
        api.get("/api/settings/{name}", { path: { name: BUDGET_SETTING } }),
      ]);
      this.mode = mode.value as Mode;
      this.budget = budget.value as number;
    } catch {
      // Optional: without them the meter shows only the last turn.
    }
  };

  setBudget = async (budget: number): Promise<void> => {
    const { value } = await api.put("/api/settings/{name}", {
      path: { name: BUDGET_SETTING },
      body: { value: budget },
    });
    this.budget = value as number;
  };

  /** Whether messages in this mode are stored. */
  isStored(mode: Mode | null): boolean {
    const effective = mode ?? this.mode;
    return effective === "on" || effective === "collect_only";
  }
}

export const chatSettings = new ChatSettings();
