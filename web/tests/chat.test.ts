import { expect, test } from "vitest";

import {
  findAnswer,
  newTurn,
  lastQuestionIndex,
  newId,
  toHistory,
  findQuestion,
  findRecall,
  findReceipt,
  completeSentences,
  stripQuoteLabel,
  type Turn,
} from "$/pages/chat/turns";

function turn(role: Turn["role"], content: string, more: Partial<Turn> = {}): Turn {
  return { ...newTurn(role, content, content), state: "done", ...more };
}

const TALK = [
  turn("user", "Hello"),
  turn("assistant", "Hi!"),
  turn("tool", "{}"),
  turn("user", "And now?"),
  turn("assistant", "Soup."),
];

test("the history has user and assistant turns, without tool output, empty turns and quotes", () => {
  const turns = [...TALK, turn("assistant", ""), turn("assistant", "- is vegetarian", { isQuote: true })];

  expect(toHistory(turns)).toEqual([
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Hi!" },
    { role: "user", content: "And now?" },
    { role: "assistant", content: "Soup." },
  ]);
});

test("the history of a long conversation is cut to its end", () => {
  const turns = Array.from({ length: 100 }, (_, at) => turn("user", `Message ${at}`));

  expect(toHistory(turns)).toHaveLength(40);
  expect(toHistory(turns).at(-1)?.content).toBe("Message 99");
});

test("a question has its answer, an answer its question", () => {
  expect(findAnswer(TALK, 0)?.content).toBe("Hi!");
  expect(findAnswer(TALK, 1)).toBeNull();
  expect(findAnswer([turn("user", "Hello")], 0)).toBeNull();
  expect(findQuestion(TALK, 4)?.content).toBe("And now?");
  expect(lastQuestionIndex(TALK)).toBe(3);
  expect(lastQuestionIndex([])).toBe(-1);
});

test("an answer shows the recall of its question", () => {
  const recalled = { memories: 1, messages: 1, tokens: 30, budget: 500, ms: 4 };
  const turns = [
    turn("user", "What can I cook?", { receipt: "r1", recalled }),
    turn("assistant", "Soup."),
    turn("tool", "{}"),
  ];

  expect([0, 1, 2].map((at) => findReceipt(turns, at)?.id)).toEqual(["r1", "r1", undefined]);
  expect([0, 1, 2].map((at) => findRecall(turns, at))).toEqual([recalled, recalled, null]);
});

test.each([
  "(no language model: quoting memory)\n- is vegetarian",
  "(sem modelo de linguagem: citando a memória)\n- is vegetarian",
])("the label of a quote is removed: %s", (text) => expect(stripQuoteLabel(text)).toBe("- is vegetarian"));

test("an answer that begins with a bracket is not a quote", () => {
  expect(stripQuoteLabel("(not sure) Soup.")).toBe("(not sure) Soup.");
});

test("an answer is announced in complete sentences, each once", () => {
  expect(completeSentences("Try a ris", 0)).toBe("");
  expect(completeSentences("Try a risotto. It is go", 0)).toBe("Try a risotto.");
  expect(completeSentences("Try a risotto. It is good! And", 14)).toBe(" It is good!");
});

test("new ids are unique and have their prefix", () => {
  const names = new Set(Array.from({ length: 200 }, () => newId("temporary-")));

  expect(names.size).toBe(200);
  expect([...names].every((name) => /^temporary-[0-9a-z]{24}$/.test(name))).toBe(true);
});
