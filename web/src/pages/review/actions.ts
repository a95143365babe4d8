/** Decisions about a review card; each returns its undo, if there is one. */

import { api } from "../../api/client";
import { findLastEvent } from "../../api/undo";
import type { Card } from "./cards";

type Undo = (() => Promise<void>) | undefined;

export async function accept(card: Card, text?: string): Promise<Undo> {
  const path = { memory_id: card.memory.id };
  if (card.sort === "duplicate") {
    const merged = await api.post("/api/memory/merge", { body: { ids: [card.memory.id, card.other.id] } });
    const mergeEvent = await findLastEvent(merged.id);
    if (!text || text === merged.memory) return createUndo(mergeEvent);
    await api.patch("/api/memory/{memory_id}", {
      path: { memory_id: merged.id },
      body: { content: text },
      version: merged.version,
    });
    return createUndo(await findLastEvent(merged.id), mergeEvent);
  }
  if (text && text !== card.memory.memory) {
    await api.patch("/api/memory/{memory_id}", {
      path,
      body: { content: text },
      version: card.memory.version,
    });
    const editEvent = await findLastEvent(card.memory.id);
    await api.post("/api/memory/{memory_id}/restore", { path });
    return createUndo(await findLastEvent(card.memory.id), editEvent);
  }
  await api.post("/api/memory/{memory_id}/restore", { path });
  return createUndo(await findLastEvent(card.memory.id));
}

export async function reject(card: Card): Promise<Undo> {
  if (card.sort === "duplicate") {
    await api.post("/api/memory/apart", { body: { ids: [card.memory.id, card.other.id] } });
    return undefined;
  }
  await api.delete("/api/memory/{memory_id}", {
    path: { memory_id: card.memory.id },
    version: card.memory.version,
  });
  return createUndo(await findLastEvent(card.memory.id));
}

/** Undo events in the given order, newest first. */
function createUndo(...events: (string | undefined)[]): Undo {
  const eventIds = events.filter((event) => event !== undefined);
  if (eventIds.length === 0) return undefined;
  return async () => {
    for (const event_id of eventIds) await api.post("/api/memory/undo", { body: { event_id } });
  };
}
