/** Actions on memories, each with a toast and undo. */

import { api } from "../../api/client";
import { createUndo } from "../../api/undo";
import type { Memory } from "../../api/types";
import { reviewCount } from "../../app/review-count.svelte";
import { toasts } from "../../app/toasts.svelte";
import { t } from "./messages";

export type MemoryAction = "archive" | "forget" | "merge" | "restore" | "pin" | "unpin";

const DONE_MESSAGES = {
  archive: (count: number) => t("archived", { count }),
  forget: (count: number) => t("forgotten", { count }),
  merge: () => t("merged"),
  restore: () => t("restored"),
  pin: () => t("pinned"),
  unpin: () => t("unpinned"),
};

/** Run an action and show a toast. `onChange` is called after the action and after its undo. Returns success. */
export async function runAction(
  action: MemoryAction,
  ids: readonly string[],
  onChange: () => void,
): Promise<boolean> {
  const [first] = ids;
  if (first === undefined) return false;
  try {
    await sendAction(action, ids, first);
    toasts.show(DONE_MESSAGES[action](ids.length), { undo: await createUndo(first, onChange) });
    onChange();
    void reviewCount.refresh();
    return true;
  } catch (error) {
    toasts.showError(error);
    onChange();
    return false;
  }
}

async function sendAction(action: MemoryAction, ids: readonly string[], first: string): Promise<void> {
  if (action === "archive" || action === "forget")
    await api.post(`/api/memory/${action}`, { body: { ids: [...ids] } });
  else if (action === "merge") await api.post("/api/memory/merge", { body: { ids: [...ids] } });
  else await api.post(`/api/memory/{memory_id}/${action}`, { path: { memory_id: first } });
}

/** Save an edited text unless the memory was changed elsewhere. */
export async function saveEdit(
  memory: Memory,
  content: string,
  onChange: (memory: Memory) => void,
): Promise<boolean> {
  const text = content.trim();
  if (!text || text === memory.memory) return true;
  try {
    const changed = await api.patch("/api/memory/{memory_id}", {
      path: { memory_id: memory.id },
      body: { content: text },
      version: memory.version,
    });
    onChange(changed);
    const reread = async () =>
      onChange(await api.get("/api/memory/{memory_id}", { path: { memory_id: memory.id } }));
    toasts.show(t("edited"), { undo: await createUndo(memory.id, () => void reread()) });
    return true;
  } catch (error) {
    toasts.showError(error);
    return false;
  }
}
