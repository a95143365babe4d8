/** Sources that were left out because the user said so, apart from other notes. */
export function isConsent(note: string): boolean {
  return /^(\w+: no consent|everything: memory is \w+ here)$/.test(note);
}
