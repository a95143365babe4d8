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
  "parked jobs",
  "parked job",
  "settings",
  "disk",
  "full text",
  "vectors",
  "orphan vectors",
  "full text content",
  "readable",
] as const;
const JOB_KINDS = ["embed", "judge", "backfill", "reembed", "summarise", "garden"] as const;

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
