/** Whether a note says that a source was skipped by consent or mode. */
export function isConsentNote(note: string): boolean {
  return /^(\w+: no consent|all sources: memory is \w+)$/.test(note);
}
