import type { Receipt } from "./types";

/** Passages by what they are; a summary counts as a memory. */
export interface SourceCounts {
  memories: number;
  messages: number;
}

export function countSources(items: readonly Pick<Receipt["items"][number], "source">[]): SourceCounts {
  const messages = items.filter(({ source }) => source === "message" || source === "message_chunk").length;
  return { memories: items.length - messages, messages };
}
