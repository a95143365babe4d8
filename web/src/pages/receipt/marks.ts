/** The words of a question where they stand in a text. */

export interface Piece {
  text: string;
  marked: boolean;
}

/** Shorter words are everywhere. */
const LEAST = 3;

export function marks(text: string, question: string | null): Piece[] {
  const wanted = new Set(words(question ?? "").filter((word) => word.length >= LEAST));
  const pieces: Piece[] = [];
  for (const piece of text.match(/[\p{L}\p{N}_]+|[^\p{L}\p{N}_]+/gu) ?? []) {
    const marked = wanted.has(fold(piece));
    const last = pieces.at(-1);
    if (last && last.marked === marked) last.text += piece;
    else pieces.push({ text: piece, marked });
  }
  return pieces;
}

function words(text: string): string[] {
  return (text.match(/[\p{L}\p{N}_]+/gu) ?? []).map(fold);
}

/** Case and accents do not matter to the reader. */
function fold(word: string): string {
  return word.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase();
}
