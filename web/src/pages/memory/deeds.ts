/** What can be done to memories, each with its notice and its way back. */

import { api } from "../../api/client";
import { wayBack } from "../../api/undo";
import type { Memory } from "../../api/types";
import { waiting } from "../../app/inbox.svelte";
import { toasts } from "../../app/toasts.svelte";
import { say } from "./words";

export type Deed = "archive" | "forget" | "merge" | "restore" | "pin" | "unpin";

const told = {
  archive: (count: number) => say("archived", { count }),
  forget: (count: number) => say("forgotten", { count }),
  merge: () => say("merged"),
  restore: () => say("restored"),
  pin: () => say("pinned"),
  unpin: () => say("unpinned"),
};

/** Do it, tell it, and call `after` when it is done and when it is taken back. Whether it was done. */
export async function perform(deed: Deed, ids: readonly string[], after: () => void): Promise<boolean> {
  const [first] = ids;
  if (first === undefined) return false;
  try {
    await carryOut(deed, ids, first);
    toasts.tell(told[deed](ids.length), { undo: await wayBack(first, after) });
    after();
    void waiting.look();
    return true;
  } catch (error) {
    toasts.fail(error);
    after();
    return false;
  }
}

async function carryOut(deed: Deed, ids: readonly string[], first: string): Promise<void> {
  if (deed === "archive" || deed === "forget") await api.post(`/api/memory/${deed}`, { body: { ids: [...ids] } });
  else if (deed === "merge") await api.post("/api/memory/merge", { body: { ids: [...ids] } });
  else await api.post(`/api/memory/{memory_id}/${deed}`, { path: { memory_id: first } });
}

/** Correct what a memory says, if it is still what was seen. */
export async function correct(memory: Memory, content: string, after: (memory: Memory) => void): Promise<boolean> {
  const text = content.trim();
  if (!text || text === memory.memory) return true;
  try {
    const changed = await api.patch("/api/memory/{memory_id}", {
      path: { memory_id: memory.id },
      body: { content: text },
      version: memory.version,
    });
    after(changed);
    const reread = async () => after(await api.get("/api/memory/{memory_id}", { path: { memory_id: memory.id } }));
    toasts.tell(say("corrected"), { undo: await wayBack(memory.id, () => void reread()) });
    return true;
  } catch (error) {
    toasts.fail(error);
    return false;
  }
}
