/** Undo for the last change of a memory. */

import { api } from "./client";

/** The event of a change that was just made is among the most recent ones. */
const RECENT_EVENTS = 20;

/** Find the last undoable event of a memory. */
export async function findLastEvent(memory: string): Promise<string | undefined> {
  const { results } = await api.get("/api/memory/events", { query: { limit: RECENT_EVENTS } });
  return results.find((event) => !event.undone && event.action !== "undo" && event.memories.includes(memory))
    ?.id;
}

/** Create an undo callback for the last change of a memory: `toasts.show(text, { undo: await createUndo(id) })`. */
export async function createUndo(
  memory: string,
  afterUndo?: () => void,
): Promise<(() => Promise<void>) | undefined> {
  const event = await findLastEvent(memory);
  if (event === undefined) return undefined;
  return async () => {
    await api.post("/api/memory/undo", { body: { event_id: event } });
    afterUndo?.();
  };
}
