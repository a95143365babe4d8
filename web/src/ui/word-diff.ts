/** Word-level diff by longest common subsequence; O(n · m). */

export interface DiffPiece {
  kind: "same" | "gone" | "new";
  text: string;
}

/** Larger inputs are shown as one replacement. */
const MAX_TABLE_CELLS = 4_000_000;

export function diffWords(before: string, after: string): DiffPiece[] {
  const a = tokenize(before);
  const b = tokenize(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end++;
  const changed = diffTokens(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return mergeRuns([
    ...a.slice(0, start).map((text): DiffPiece => ({ kind: "same", text })),
    ...changed,
    ...a.slice(a.length - end).map((text): DiffPiece => ({ kind: "same", text })),
  ]);
}

/** Words, whitespace and punctuation. */
function tokenize(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+|\s+|[^\p{L}\p{N}\s]/gu) ?? [];
}

/** Longest common subsequence by dynamic programming. */
function diffTokens(a: readonly string[], b: readonly string[]): DiffPiece[] {
  const all = (): DiffPiece[] => [
    ...a.map((text): DiffPiece => ({ kind: "gone", text })),
    ...b.map((text): DiffPiece => ({ kind: "new", text })),
  ];
  if (a.length === 0 || b.length === 0 || a.length * b.length > MAX_TABLE_CELLS) return all();
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pieces: DiffPiece[] = [];
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

function mergeRuns(pieces: readonly DiffPiece[]): DiffPiece[] {
  const merged: DiffPiece[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1);
    if (last?.kind === piece.kind) last.text += piece.text;
    else merged.push({ ...piece });
  }
  return merged;
}
