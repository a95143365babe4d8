/** Highlights query terms in a text. */

export interface TextPiece {
  text: string;
  marked: boolean;
}

/** Shorter terms are too common to highlight. */
const MIN_TERM_LENGTH = 3;

export function highlightTerms(text: string, question: string | null): TextPiece[] {
  const terms = new Set(tokenize(question ?? "").filter((word) => word.length >= MIN_TERM_LENGTH));
  const pieces: TextPiece[] = [];
  for (const piece of text.match(/[\p{L}\p{N}_]+|[^\p{L}\p{N}_]+/gu) ?? []) {
    const marked = terms.has(fold(piece));
    const last = pieces.at(-1);
    if (last && last.marked === marked) last.text += piece;
    else pieces.push({ text: piece, marked });
  }
  return pieces;
}

function tokenize(text: string): string[] {
  return (text.match(/[\p{L}\p{N}_]+/gu) ?? []).map(fold);
}

/** Normalize case and diacritics. */
function fold(word: string): string {
  return word.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase();
}
