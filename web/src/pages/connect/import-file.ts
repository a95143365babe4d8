/** Uploads an export file, as a dry run or for real. */

import { buildUrl, buildHeaders } from "../../api/client";
import { connection } from "../../api/connection.svelte";
import type { Schemas } from "../../api/types";

export type ImportReport = Schemas["ImportResponse"];
export const IMPORT_PARTS = [
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
export type ImportPart = (typeof IMPORT_PARTS)[number];

export async function uploadImport(
  file: Blob,
  options: { dryRun: boolean; signal?: AbortSignal | undefined },
): Promise<ImportReport> {
  const response = await connection.fetch(buildUrl("/api/import", { query: { dry_run: options.dryRun } }), {
    method: "POST",
    headers: { ...buildHeaders("post", {}), "Content-Type": "application/x-ndjson" },
    body: file,
    ...(options.signal ? { signal: options.signal } : {}),
  });
  return (await response.json()) as ImportReport;
}

/** One row for each part that has entries. */
export function reportRows(report: ImportReport): { part: ImportPart; fresh: number; known: number }[] {
  return IMPORT_PARTS.map((part) => ({
    part,
    fresh: report.imported[part] ?? 0,
    known: report.known[part] ?? 0,
  })).filter((row) => row.fresh + row.known > 0);
}

export function countImported(report: ImportReport): number {
  return Object.values(report.imported).reduce((sum, count) => sum + count, 0);
}
