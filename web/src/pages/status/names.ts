/** The server's names for checks and work, in the language of now. */

import { say } from "./words";

const CHECKS = [
  "python",
  "file",
  "file mode",
  "sqlite",
  "schema",
  "integrity",
  "references",
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
const KINDS = ["embed", "judge", "backfill", "reembed", "summarise", "garden"] as const;

export function check(name: string): string {
  const known = CHECKS.find((each) => each === name);
  return known ? say(`check.${known}`) : name;
}

export function work(kind: string): string {
  const known = KINDS.find((each) => each === kind);
  return known ? say(`kind.${known}`) : kind;
}

/** Whether what to do is a command that can be run as it stands. */
export function isCommand(fix: string): boolean {
  return /^(recollect|chmod) /.test(fix);
}
