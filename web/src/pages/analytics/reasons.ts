/** Reasons that are counted, in the language of now. The server's own words are English, few and stable. */

import { language } from "../../words/language.svelte";

const PORTUGUESE: Record<string, string> = {
  "too short": "curta demais",
  "no words": "sem palavras",
  "small talk": "conversa fiada",
  laughter: "risada",
  greeting: "saudação",
  thanks: "agradecimento",
  farewell: "despedida",
  acknowledgement: "confirmação",
  "not trivial": "não é trivial",
  "funnel off": "funil desligado",
  "system text is never learned from": "de texto do sistema nunca se aprende",
  "tool output is never learned from": "de saída de ferramenta nunca se aprende",
  "judged by rules: the cap was reached": "julgada por regras: o limite foi atingido",
  "cosine … is below …": "semelhança abaixo do mínimo",
  "below … of the best score": "muito abaixo do melhor",
  "rank …, only … are handed on": "além do limite de trechos",
  "only … facts are handed on": "além do limite de fatos",
  "only … messages are handed on": "além do limite de mensagens",
  "only beside one that was found": "só ao lado de um achado",
  "covered by its chunk": "coberta por seu trecho",
  "a memory says the same": "uma memória diz o mesmo",
  "same text as …": "mesmo texto que outro",
  "over budget…": "sem espaço no orçamento",
  "no visible text": "sem texto visível",
  "already in the conversation": "já está na conversa",
  "injected a moment ago": "entrou há pouco",
  "the profile is shown whole": "o perfil já aparece inteiro",
  "its file is shown whole": "o arquivo já aparece inteiro",
  "after the first passage over budget": "depois do primeiro sem espaço",
};
const SAID: Record<string, string> = {
  "cosine … is below …": "similarity below the floor",
  "below … of the best score": "far below the best score",
  "rank …, only … are handed on": "beyond the limit of passages",
  "only … facts are handed on": "beyond the limit of facts",
  "only … messages are handed on": "beyond the limit of messages",
  "same text as …": "the same text as another",
  "over budget…": "no room in the budget",
};

export function reason(text: string): string {
  if (text.startsWith("gold: ")) return `“${text.slice("gold: ".length)}”`;
  if (text.startsWith("masked: ")) return text.slice("masked: ".length);
  return (language.now === "pt" ? PORTUGUESE[text] : SAID[text]) ?? text;
}

export type Stage = "sifted" | "judged" | "masked";
export const STAGES: readonly Stage[] = ["sifted", "judged", "masked"];

/** Where in the funnel a reason was given. */
export function stageOf(text: string): Stage {
  if (text.startsWith("masked: ")) return "masked";
  return text.startsWith("gold: ") || text === "not trivial" || text === "funnel off" || text.startsWith("judged") ? "judged" : "sifted";
}

export function byStage(verdicts: Record<string, number>): { stage: Stage; count: number; reasons: [string, number][] }[] {
  return STAGES.map((stage) => {
    const reasons = Object.entries(verdicts).filter(([text]) => stageOf(text) === stage);
    return { stage, count: reasons.reduce((sum, [, count]) => sum + count, 0), reasons };
  }).filter((each) => each.count > 0);
}
