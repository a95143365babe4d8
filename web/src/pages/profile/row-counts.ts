/** Formatting of row counts. */

import { list } from "../../i18n/format";
import { t } from "./messages";

const COUNTED_TABLES = [
  "profile",
  "memories",
  "messages",
  "chats",
  "summaries",
  "receipts",
  "receipt_queries",
  "jobs",
] as const;
type CountedTable = (typeof COUNTED_TABLES)[number];
/** Table names of the database that have another label. */
const TABLE_ALIASES: Record<string, CountedTable> = { conversation_summaries: "summaries" };

export function formatCounts(rows: Record<string, number>): string[] {
  const aliased = Object.entries(rows).map(([name, count]) => [TABLE_ALIASES[name] ?? name, count] as const);
  return aliased
    .filter(([, count]) => count > 0)
    .map(([name, count]) =>
      (COUNTED_TABLES as readonly string[]).includes(name)
        ? t(`row.${name as CountedTable}`, { count })
        : `${count} ${name}`,
    );
}

export function joinCounts(rows: Record<string, number>): string {
  return list(formatCounts(rows));
}

/** Parse the detail of a consent entry; undefined for other entries. */
export function parseConsentDetail(
  detail: string,
): { category: string; erased: Record<string, number> } | undefined {
  if (!detail.startsWith("{")) return undefined;
  try {
    const { category, erased } = JSON.parse(detail) as {
      category?: unknown;
      erased?: Record<string, number>;
    };
    return typeof category === "string" ? { category, erased: erased ?? {} } : undefined;
  } catch {
    return undefined;
  }
}
