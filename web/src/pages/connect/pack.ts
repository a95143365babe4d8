/** Sends a pack: first only to see what it would bring, then to take it in. */

import { address, headers } from "../../api/client";
import { connection } from "../../api/connection.svelte";
import type { Schemas } from "../../api/types";

export type Account = Schemas["Imported"];
export const PARTS = [
  "chats",
  "messages",
  "judgements",
  "memories",
  "summaries",
  "contexts",
  "consents",
  "profile",
  "preferences",
  "tombstones",
] as const;
export type Part = (typeof PARTS)[number];

export async function send(file: Blob, how: { dryRun: boolean; signal?: AbortSignal | undefined }): Promise<Account> {
  const response = await connection.fetch(address("/api/import", { query: { dry_run: how.dryRun } }), {
    method: "POST",
    headers: { ...headers("post", {}), "Content-Type": "application/x-ndjson" },
    body: file,
    ...(how.signal ? { signal: how.signal } : {}),
  });
  return (await response.json()) as Account;
}

/** One line for each part of which there is anything. */
export function rows(account: Account): { part: Part; fresh: number; known: number }[] {
  return PARTS.map((part) => ({ part, fresh: account.imported[part] ?? 0, known: account.known[part] ?? 0 })).filter(
    (row) => row.fresh + row.known > 0,
  );
}

export function total(account: Account): number {
  return Object.values(account.imported).reduce((sum, count) => sum + count, 0);
}
