/** What changed between two texts, word by word. */

export interface Piece {
  kind: "same" | "gone" | "new";
  text: string;
}

/** Longer texts are shown whole: a table of all pairs would take too long. */
const MOST = 4_000_000;

export function difference(before: string, after: string): Piece[] {
  const a = split(before);
  const b = split(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const middle = between(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return joined([
    ...a.slice(0, start).map((text): Piece => ({ kind: "same", text })),
    ...middle,
    ...a.slice(a.length - end).map((text): Piece => ({ kind: "same", text })),
  ]);
}

/** Words, and what stands between them. */
function split(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+|\s+|[^\p{L}\p{N}\s]/gu) ?? [];
}

/** The longest common words stay. */
function between(a: readonly string[], b: readonly string[]): Piece[] {
  const all = (): Piece[] => [
    ...a.map((text): Piece => ({ kind: "gone", text })),
    ...b.map((text): Piece => ({ kind: "new", text })),
  ];
  if (a.length === 0 || b.length === 0 || a.length * b.length > MOST) return all();
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pieces: Piece[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const old = a[i];
    const next = b[j];
    if (old !== undefined && old === next) {
      pieces.push({ kind: "same", text: old });
      i++;
      j++;
    } else if (old !== undefined && (next === undefined || at(i + 1, j) >= at(i, j + 1))) {
      pieces.push({ kind: "gone", text: old });
      i++;
    } else if (next !== undefined) {
      pieces.push({ kind: "new", text: next });
      j++;
    }
  }
  return pieces;
}

function joined(pieces: readonly Piece[]): Piece[] {
  const whole: Piece[] = [];
  for (const piece of pieces) {
    const last = whole.at(-1);
    if (last?.kind === piece.kind) last.text += piece.text;
    else whole.push({ ...piece });
  }
  return whole;
}
