/** Counts of what goes, in words. */

import { list } from "../../words/format";
import { say } from "./words";

const KNOWN = ["profile", "memories", "messages", "chats", "summaries", "receipts", "jobs"] as const;
type Known = (typeof KNOWN)[number];
/** The file's own names for the same. */
const OTHER: Record<string, Known> = { conversation_summaries: "summaries" };

export function counted(rows: Record<string, number>): string[] {
  const named = Object.entries(rows).map(([name, count]) => [OTHER[name] ?? name, count] as const);
  return named
    .filter(([, count]) => count > 0)
    .map(([name, count]) => ((KNOWN as readonly string[]).includes(name) ? say(`row.${name as Known}`, { count }) : `${count} ${name}`));
}

export function sentence(rows: Record<string, number>): string {
  return list(counted(rows));
}

/** An answer as the ledger writes it down; undefined if a line tells of something else. */
export function answerOf(detail: string): { category: string; erased: Record<string, number> } | undefined {
  if (!detail.startsWith("{")) return undefined;
  try {
    const { category, erased } = JSON.parse(detail) as { category?: unknown; erased?: Record<string, number> };
    return typeof category === "string" ? { category, erased: erased ?? {} } : undefined;
  } catch {
    return undefined;
  }
}
