/** What was just done to memories can be taken back: which event was it? */

import { api } from "./client";

/** Events are few and new: the one that was just made is among these. */
const RECENT = 20;

/** The last event that changed a memory. */
export async function lastEvent(memory: string): Promise<string | undefined> {
  const { results } = await api.get("/api/memory/events", { query: { limit: RECENT } });
  return results.find((event) => !event.undone && event.action !== "undo" && event.memories.includes(memory))?.id;
}

/** A way back from what was just done to a memory: `toasts.tell(text, { undo: await wayBack(id) })`. */
export async function wayBack(memory: string, then?: () => void): Promise<(() => Promise<void>) | undefined> {
  const event = await lastEvent(memory);
  if (event === undefined) return undefined;
  return async () => {
    await api.post("/api/memory/undo", { body: { event_id: event } });
    then?.();
  };
}
