import { afterEach, describe, expect, test } from "vitest";

import { Problem } from "$/api/problem";
import { language } from "$/i18n/language.svelte";
import { PROBLEM_MESSAGES, translateProblem } from "$/i18n/problem-messages";
import { problemText } from "$/i18n/problems";

afterEach(() => language.set("en"));

test("English errors are unchanged", () => {
  expect(translateProblem("There is no memory 'x' for this user.")).toBe(
    "There is no memory 'x' for this user.",
  );
});

describe("in Portuguese", () => {
  test.each([
    [
      "The text has 2,000,000 bytes of UTF-8; the limit for one message is 1,000,000.",
      "O texto tem 2.000.000 bytes em UTF-8, e o máximo por mensagem é 1.000.000.",
    ],
    [
      "The database is locked by another process or cannot be reached. Try again in a moment. (ana.db: BusyError)",
      "O banco de dados está bloqueado por outro processo ou inacessível. Tente novamente em instantes. (ana.db: BusyError)",
    ],
    [
      "Nothing here can be imported (a.json: truncated at element 1: Expecting value). Supported are ChatGPT, a list of statements, and packs of Recollect.",
      "Não há nada aqui que possa ser importado (a.json: o arquivo termina cedo demais, no elemento 1). Formatos aceitos: ChatGPT, lista de afirmações e exportações do Recollect.",
    ],
  ])("%s", (text, portuguese) => {
    language.set("pt");

    expect(translateProblem(text)).toBe(portuguese);
  });

  test.each(["a reason of tomorrow", "  two  spaces.\n\nAnd lines.  ", ""])(
    "unknown text is unchanged: %j",
    (text) => {
      language.set("pt");

      expect(translateProblem(text)).toBe(text);
    },
  );

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

test("translations have no placeholders that the English sentence lacks", () => {
  const wrong = PROBLEM_MESSAGES.filter(
    ([english, portuguese]) =>
      ![...placeholders(portuguese)].every((name) => placeholders(english).has(name)),
  );

  expect(wrong).toEqual([]);
});
