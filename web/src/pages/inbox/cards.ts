/** What waits for a decision, as cards of one shape. */

import type { Memory, Pair, WaitingMemory } from "../../api/types";

export type Card =
  | { sort: "contested"; key: string; memory: WaitingMemory; against: Memory[] }
  | { sort: "doubted"; key: string; memory: WaitingMemory }
  | { sort: "twins"; key: string; memory: Memory; other: Memory; similarity: number };

/** Contradictions first: until they are decided, what is recalled may be wrong. */
export function cards(waiting: readonly WaitingMemory[], pairs: readonly Pair[]): Card[] {
  const contested = waiting.filter((memory) => memory.standing === "contested");
  const doubted = waiting.filter((memory) => memory.standing !== "contested");
  return [
    ...contested.map((memory): Card => ({ sort: "contested", key: memory.id, memory, against: memory.against })),
    ...doubted.map((memory): Card => ({ sort: "doubted", key: memory.id, memory })),
    ...pairs.map((pair): Card => ({ sort: "twins", key: `${pair.memory.id} ${pair.other.id}`, ...pair })),
  ];
}

/** Where to stand when cards have come or gone: the same place, or the last. */
export function place(current: number, count: number): number {
  return Math.max(0, Math.min(current, count - 1));
}
