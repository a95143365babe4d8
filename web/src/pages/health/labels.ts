/** Labels for the server's check names and job kinds. */

import { t } from "./messages";

const CHECK_NAMES = [
  "python",
  "file",
  "file mode",
  "sqlite",
  "schema",
  "integrity",
  "references",
  "passages",
  "capabilities",
  "agent hooks",
  "embedder",
  "vectors by model",
  "pending vectors",
  "language",
  "languages learned",
  "failed jobs",
  "failed job",
  "settings",
  "disk",
  "full text",
  "vectors",
  "orphan vectors",
  "full text content",
  "readable",
  "file in place",
  "stale vectors",
  "postgresql",
  "pgvector",
  "row-level security",
  "connections",
  "connection pool",
  "standbys",
  "bloat",
  "orphan passages",
  "statistics",
  "index content",
] as const;
const JOB_KINDS = ["embed", "extract", "backfill", "reembed", "summarize", "maintenance"] as const;

export function checkLabel(name: string): string {
  const known = CHECK_NAMES.find((each) => each === name);
  return known ? t(`check.${known}`) : name;
}

export function jobLabel(kind: string): string {
  const known = JOB_KINDS.find((each) => each === kind);
  return known ? t(`kind.${known}`) : kind;
}

/** Whether a fix is a shell command. */
export function isCommand(fix: string): boolean {
  return /^(recollect|chmod) /.test(fix);
}
