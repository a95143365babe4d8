/** Start a browser download. */

export function download(name: string, content: BlobPart, type = "application/json"): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

/** File name with a timestamp: `recollect-2026-03-01T09-30.jsonl` */
export function timestampedName(name: string, ending: string, now: Date = new Date()): string {
  return `${name}-${now.toISOString().slice(0, 16).replace(":", "-")}.${ending}`;
}
