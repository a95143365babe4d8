/** What can be decided about a card; each gives its way back, if there is one. */

import { api } from "../../api/client";
import { lastEvent } from "../../api/undo";
import type { Card } from "./cards";

type Back = (() => Promise<void>) | undefined;

export async function accept(card: Card, words?: string): Promise<Back> {
  const path = { memory_id: card.memory.id };
  if (card.sort === "twins") {
    const merged = await api.post("/api/memory/merge", { body: { ids: [card.memory.id, card.other.id] } });
    const joined = await noted(merged.id);
    if (!words || words === merged.memory) return back(joined);
    await api.patch("/api/memory/{memory_id}", { path: { memory_id: merged.id }, body: { content: words }, version: merged.version });
    return back(await noted(merged.id), joined);
  }
  if (words && words !== card.memory.memory) {
    await api.patch("/api/memory/{memory_id}", { path, body: { content: words }, version: card.memory.version });
    const edited = await noted(card.memory.id);
    await api.post("/api/memory/{memory_id}/restore", { path });
    return back(await noted(card.memory.id), edited);
  }
  await api.post("/api/memory/{memory_id}/restore", { path });
  return back(await noted(card.memory.id));
}

export async function reject(card: Card): Promise<Back> {
  if (card.sort === "twins") {
    await api.post("/api/memory/apart", { body: { ids: [card.memory.id, card.other.id] } });
    return undefined;
  }
  await api.delete("/api/memory/{memory_id}", { path: { memory_id: card.memory.id }, version: card.memory.version });
  return back(await noted(card.memory.id));
}

const noted = lastEvent;

/** Take events back in this order, the last one first. */
function back(...events: (string | undefined)[]): Back {
  const known = events.filter((event) => event !== undefined);
  if (known.length === 0) return undefined;
  return async () => {
    for (const event_id of known) await api.post("/api/memory/undo", { body: { event_id } });
  };
}
