import { afterEach, describe, expect, test } from "vitest";

import { Problem } from "$/api/problem";
import { language } from "$/words/language.svelte";
import { problemText } from "$/words/problems";
import { TABLE, told } from "$/words/server";

afterEach(() => language.choose("en"));

describe("in English", () => {
  test.each([
    ["cosine 0.32 is below 0.45", "Too far from the question in meaning: 0.32, at least 0.45 is asked for."],
    ["over budget (needs 120, 40 left)", "No room in the budget: it needs 120 tokens, 40 were left."],
    ["rank 7, only 6 are handed on", "Came in at place 7; only 6 are handed on."],
    ["emo: no consent", "Feeling: you did not agree to it."],
    ["everything: memory is off here", "Everything: here it is “Memory off”."],
    ["1 more candidates, further down", "1 more, further down."],
    ["profile: over budget (needs 120, 40 left)", "Profile: No room in the budget: it needs 120 tokens, 40 were left."],
    ["lexical only: no embedder is configured", "Searched by words only: no embedder is configured"],
    ["it is archived", "It is not in use: Archived."],
    ["it is archived: too light", "It is not in use (Archived): too light"],
    ["more than two sentences", "It is more than one fact."],
  ])("a terse note, %s, is a sentence", (note, sentence) => expect(told(note)).toBe(sentence));

  test.each(["superseded by 'lives in York'", "weight under 0.1: last said on 2026-03-01", "There is no memory 'x' for this user.", "a reason of tomorrow"])(
    "%s stays as it is",
    (text) => expect(told(text)).toBe(text),
  );
});

describe("in Portuguese", () => {
  test.each([
    ["cosine 0.32 is below 0.45", "Longe demais da pergunta em sentido: 0,32; pede-se ao menos 0,45."],
    ["below 35% of the best score", "Teve menos de 35 % dos pontos da melhor."],
    ["same text as memory 01J", "Algo com as mesmas palavras é mostrado."],
    ["profile: no consent", "Perfil: você não consentiu."],
    ["no room for 1 recent messages", "Sem espaço para 1 mensagem recente."],
    ["no room for 2 recent messages", "Sem espaço para 2 mensagens recentes."],
    ["context file notes: v2.md: no visible text", "notes: v2.md: Não há texto visível nela."],
    ["lexical only: no embedder is configured", "Busca só por palavras: nenhum vetorizador está configurado"],
    ["3 of 20 not read again in 400 ms", "3 de 20 ficaram sem segunda leitura em 400 ms."],
    ["it is superseded: superseded by 'lives in York'", "Não está em uso (Substituída): substituída por 'lives in York'"],
    ["not in the message: boat, sailing", "Estas palavras não estão na mensagem: boat, sailing"],
    ["weight under 0.1: last said on 2026-03-01", "peso abaixo de 0,1: dita pela última vez em 01/03/2026"],
    ["temporary, 30 days: last said on 2026-03-01", "temporária, 30 dias: dita pela última vez em 01/03/2026"],
    ["undid forget", "desfez: esquecer"],
    ["the user does not want memories of the kind emo", "você não quer memórias do tipo “Sentimento”"],
    ["The text has 2,000,000 bytes of UTF-8, and one message may have 1,000,000.", "O texto tem 2.000.000 bytes em UTF-8, e uma mensagem pode ter 1.000.000."],
    ["ProviderBusy: The provider is busy or cannot be reached.", "ProviderBusy: O provedor está ocupado ou fora de alcance."],
  ])("%s", (text, portuguese) => {
    language.choose("pt");

    expect(told(text)).toBe(portuguese);
  });

  test.each(["(a+b)* $& $1 [x] \\d {why} ^.|?", "It rained. We stayed in!", "two\nlines", "by the user"])("quoted words stay as they are: %s", (words) => {
    language.choose("pt");

    expect(told(`contradicts '${words}'`)).toBe(`contradiz '${words}'`);
  });

  test.each(["a reason of tomorrow", "rank seven, only 6 are handed on", "it is purple", "undid magic", "  two  spaces.\n\nAnd lines.  ", ""])("what is not known stays as it is: %j", (text) => {
    language.choose("pt");

    expect(told(text)).toBe(text);
  });

  test("of several sentences those that are known are told, and none is lost", () => {
    language.choose("pt");

    expect(told("lexical only: Another process holds the file. Try again in a moment. (ana.db: BusyError)")).toBe(
      "Busca só por palavras: Outro processo está com o arquivo. Tente de novo daqui a pouco. (ana.db: BusyError)",
    );
  });

  test("a problem is told too", () => {
    language.choose("pt");
    const problem = new Problem({ title: "", status: 404, code: "not_found", detail: "There is no chat 'x.y' for this user. `recollect chats` lists them." });

    expect(problemText(problem)).toBe("Não há conversa 'x.y' para este usuário. `recollect chats` as lista.");
  });
});

const holes = (text: string) => new Set(Array.from(text.matchAll(/\{(\w+)\}/g), ([, name]) => name));

test.each(TABLE.map(([server, pt, en = ""]) => ({ server, messages: [pt, en] })))("$server has every hole that its translations fill", ({ server, messages }) => {
  const there = holes(server);
  const filled = messages.flatMap((message) => (typeof message === "string" ? [message] : Object.values(message)));

  expect(filled.flatMap((text) => [...holes(text)]).filter((name) => !there.has(name))).toEqual([]);
});
