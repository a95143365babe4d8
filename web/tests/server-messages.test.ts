import { afterEach, describe, expect, test } from "vitest";

import { Problem } from "$/api/problem";
import { language } from "$/i18n/language.svelte";
import { problemText } from "$/i18n/problems";
import { SERVER_MESSAGES, translateServerMessage } from "$/i18n/server-messages";

afterEach(() => language.set("en"));

describe("in English", () => {
  test.each([
    ["cosine 0.32 is below 0.45", "Semantic similarity too low: 0.32; the minimum is 0.45."],
    ["over budget (needs 120, 40 left)", "Over budget: needs 120 tokens, 40 were left."],
    ["ranked 7th; the limit is 6", "Ranked 7th; the limit is 6."],
    ["emotion: no consent", "Feeling not used: no consent."],
    ["all sources: memory is off", "Memory not searched: the mode is “Memory off”."],
    ["1 more candidates ranked lower", "1 more candidates ranked lower."],
    ["profile: over budget (needs 120, 40 left)", "Profile: Over budget: needs 120 tokens, 40 were left."],
    ["lexical only: no embedder is configured", "Keyword search only: no embedding model is configured"],
    ["it is archived", "Not active: Archived."],
    ["it is archived: too light", "Not active (Archived): too light"],
    ["weight below 0.1: last mentioned on 2026-03-01", "weight below 0.1: last mentioned on 2026-03-01"],
    ["undid forget", "undone: forget"],
    ["more than two sentences", "Contains more than one fact."],
  ])("%s is rewritten", (note, sentence) => expect(translateServerMessage(note)).toBe(sentence));

  test.each([
    "superseded by 'lives in York'",
    "There is no memory 'x' for this user.",
    "a reason of tomorrow",
  ])("%s is unchanged", (text) => expect(translateServerMessage(text)).toBe(text));
});

describe("in Portuguese", () => {
  test.each([
    ["cosine 0.32 is below 0.45", "Similaridade semântica baixa demais: 0,32; o mínimo é 0,45."],
    ["below 35% of the best score", "Pontuação abaixo de 35 % da melhor."],
    ["same text as memory 01J", "Duplicata de outro trecho."],
    ["profile: no consent", "Perfil: não usado, sem consentimento."],
    ["1 recent messages did not fit the budget", "1 mensagem recente não coube no orçamento."],
    ["2 recent messages did not fit the budget", "2 mensagens recentes não couberam no orçamento."],
    ["context file notes: v2.md: no visible text", "notes: v2.md: Sem texto visível."],
    [
      "lexical only: no embedder is configured",
      "Só busca por palavras-chave: nenhum modelo de embeddings configurado",
    ],
    ["3 of 20 not reranked within 400 ms", "O reranker não processou 3 de 20 trechos em 400 ms."],
    [
      "it is superseded: superseded by 'lives in York'",
      "Não está ativa (Substituída): substituída por 'lives in York'",
    ],
    ["not in the message: boat, sailing", "Não consta na mensagem: boat, sailing"],
    ["weight below 0.1: last mentioned on 2026-03-01", "peso abaixo de 0,1: última menção em 01/03/2026"],
    ["temporary, 30 days: last mentioned on 2026-03-01", "temporária, 30 dias: última menção em 01/03/2026"],
    ["undid forget", "desfeito: esquecer"],
    ["no consent for memories of the kind emotion", "sem consentimento para memórias do tipo “Sentimento”"],
    [
      "The text has 2,000,000 bytes of UTF-8; the limit for one message is 1,000,000.",
      "O texto tem 2.000.000 bytes em UTF-8, e o máximo por mensagem é 1.000.000.",
    ],
    [
      "ProviderBusy: The provider is busy or unreachable.",
      "ProviderBusy: O provedor está ocupado ou inacessível.",
    ],
  ])("%s", (text, portuguese) => {
    language.set("pt");

    expect(translateServerMessage(text)).toBe(portuguese);
  });

  test.each(["(a+b)* $& $1 [x] \\d {why} ^.|?", "It rained. We stayed in!", "two\nlines", "by the user"])(
    "quotes are not translated: %s",
    (quote) => {
      language.set("pt");

      expect(translateServerMessage(`contradicts '${quote}'`)).toBe(`contradiz '${quote}'`);
    },
  );

  test.each([
    "a reason of tomorrow",
    "ranked seventh; the limit is 6",
    "it is purple",
    "undid magic",
    "  two  spaces.\n\nAnd lines.  ",
    "",
  ])("unknown text is unchanged: %j", (text) => {
    language.set("pt");

    expect(translateServerMessage(text)).toBe(text);
  });

  test("known sentences are translated, and none is lost", () => {
    language.set("pt");

    expect(
      translateServerMessage(
        "lexical only: The memory file is locked by another process. Try again in a moment. (ana.db: BusyError)",
      ),
    ).toBe(
      "Só busca por palavras-chave: O banco de dados está bloqueado por outro processo. Tente novamente em instantes. (ana.db: BusyError)",
    );
  });

  test("a problem is translated", () => {
    language.set("pt");
    const problem = new Problem({
      title: "",
      status: 404,
      code: "not_found",
      detail: "There is no chat 'x.y' for this user. `recollect chats` lists them.",
    });

    expect(problemText(problem)).toBe(
      "Chat 'x.y' não encontrado para este usuário. `recollect chats` lista os existentes.",
    );
  });
});

const placeholders = (text: string) => new Set(Array.from(text.matchAll(/\{(\w+)\}/g), ([, name]) => name));

test.each(SERVER_MESSAGES.map(([server, pt, en = ""]) => ({ server, messages: [pt, en] })))(
  "$server has all placeholders of its translations",
  ({ server, messages }) => {
    const available = placeholders(server);
    const formatMessage = messages.flatMap((message) =>
      typeof message === "string" ? [message] : Object.values(message),
    );

    expect(
      formatMessage.flatMap((text) => [...placeholders(text)]).filter((name) => !available.has(name)),
    ).toEqual([]);
  },
);
