/** Review queue entries as cards. */

import type { Memory, DuplicatePair, PendingMemory } from "../../api/types";

export type Card =
  | { sort: "contested"; key: string; memory: PendingMemory; against: Memory[] }
  | { sort: "uncertain"; key: string; memory: PendingMemory }
  | { sort: "duplicate"; key: string; memory: Memory; other: Memory; similarity: number };

/** Contradictions come first, because recall may be wrong until they are resolved. */
export function buildCards(pending: readonly PendingMemory[], pairs: readonly DuplicatePair[]): Card[] {
  const contradictions = pending.filter((memory) => memory.status === "contested");
  const uncertain = pending.filter((memory) => memory.status !== "contested");
  return [
    ...contradictions.map((memory): Card => ({
      sort: "contested",
      key: memory.id,
      memory,
      against: memory.against,
    })),
    ...uncertain.map((memory): Card => ({ sort: "uncertain", key: memory.id, memory })),
    ...pairs.map((pair): Card => ({ sort: "duplicate", key: `${pair.memory.id} ${pair.other.id}`, ...pair })),
  ];
}

/** Keep the current index within the list. */
export function clampIndex(current: number, count: number): number {
  return Math.max(0, Math.min(current, count - 1));
}
