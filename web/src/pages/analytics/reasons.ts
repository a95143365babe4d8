/** Labels for the server's reason counters. */

import { language } from "../../i18n/language.svelte";

const PORTUGUESE_REASONS: Record<string, string> = {
  "too short": "curta demais",
  "no words": "sem palavras",
  "small talk": "conversa trivial",
  laughter: "risada",
  greeting: "saudação",
  thanks: "agradecimento",
  farewell: "despedida",
  acknowledgement: "confirmação",
  "not trivial": "não trivial",
  "triage off": "filtro desativado",
  "system text is never learned from": "texto de sistema nunca é analisado",
  "tool output is never learned from": "saída de ferramenta nunca é analisada",
  "judged by rules: the cap was reached": "extraída por regras: limite de custo atingido",
  "cosine … is below …": "similaridade abaixo do mínimo",
  "below … of the best score": "pontuação muito abaixo da melhor",
  "ranked …; the limit is …": "limite de trechos atingido",
  "the limit is … memories": "limite de memórias atingido",
  "the limit is … messages": "limite de mensagens atingido",
  "only a neighbour of a match": "apenas vizinho de um resultado",
  "covered by its chunk": "já incluído em um trecho",
  "a memory says the same": "uma memória já diz o mesmo",
  "same text as …": "duplicata de outro trecho",
  "over budget…": "acima do orçamento",
  "no visible text": "sem texto visível",
  "already in the conversation": "já está na conversa",
  "injected recently": "enviado há pouco",
  "the full profile is included": "o perfil já está incluído por completo",
  "its full file is included": "o arquivo já está incluído por completo",
  "after the first passage over budget": "depois de um trecho que excedeu o orçamento",
};
const ENGLISH_REASONS: Record<string, string> = {
  "triage off": "filter disabled",
  "system text is never learned from": "system text is never processed",
  "tool output is never learned from": "tool output is never processed",
  "judged by rules: the cap was reached": "extracted by rules: cost limit reached",
  "cosine … is below …": "similarity below the minimum",
  "below … of the best score": "score far below the best",
  "ranked …; the limit is …": "passage limit reached",
  "the limit is … memories": "memory limit reached",
  "the limit is … messages": "message limit reached",
  "only a neighbour of a match": "only a neighbor of a match",
  "covered by its chunk": "already included in a chunk",
  "a memory says the same": "a memory already says the same",
  "same text as …": "duplicate of another passage",
  "over budget…": "over budget",
  "injected recently": "sent recently",
  "the full profile is included": "full profile already included",
  "its full file is included": "full file already included",
  "after the first passage over budget": "after a passage that exceeded the budget",
};

export function reasonLabel(text: string): string {
  if (text.startsWith("keep phrase: ")) return `“${text.slice("keep phrase: ".length)}”`;
  if (text.startsWith("masked: ")) return text.slice("masked: ".length);
  return (language.current === "pt" ? PORTUGUESE_REASONS[text] : ENGLISH_REASONS[text]) ?? text;
}

export type Stage = "sifted" | "judged" | "masked";
export const STAGES: readonly Stage[] = ["sifted", "judged", "masked"];

/** Stage of the ingest funnel that produced a reason. */
export function stageOf(text: string): Stage {
  if (text.startsWith("masked: ")) return "masked";
  return text.startsWith("keep phrase: ") ||
    text === "not trivial" ||
    text === "triage off" ||
    text.startsWith("judged")
    ? "judged"
    : "sifted";
}

export function groupByStage(
  verdicts: Record<string, number>,
): { stage: Stage; count: number; reasons: [string, number][] }[] {
  return STAGES.map((stage) => {
    const reasons = Object.entries(verdicts).filter(([text]) => stageOf(text) === stage);
    return { stage, count: reasons.reduce((sum, [, count]) => sum + count, 0), reasons };
  }).filter((each) => each.count > 0);
}
