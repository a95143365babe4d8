/** Whether a note says that a source was skipped by consent or mode. */
export function isConsentNote(note: string): boolean {
  return /^(\w+: no consent|everything: memory is \w+ here)$/.test(note);
}
