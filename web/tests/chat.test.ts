import { expect, test } from "vitest";

import { answerOf, fresh, lastQuestion, newName, past, questionOf, recallOf, receiptOf, sentences, unlabelled, type Turn } from "$/pages/chat/turns";

function turn(role: Turn["role"], content: string, more: Partial<Turn> = {}): Turn {
  return { ...fresh(role, content, content), state: "done", ...more };
}

const TALK = [turn("user", "Hello"), turn("assistant", "Hi!"), turn("tool", "{}"), turn("user", "And now?"), turn("assistant", "Soup.")];

test("what is sent along is what the two said, not tools, nothing empty, and no quotes of memory", () => {
  const turns = [...TALK, turn("assistant", ""), turn("assistant", "- is vegetarian", { quoted: true })];

  expect(past(turns)).toEqual([
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Hi!" },
    { role: "user", content: "And now?" },
    { role: "assistant", content: "Soup." },
  ]);
});

test("a long conversation is sent along by its end", () => {
  const turns = Array.from({ length: 100 }, (_, at) => turn("user", `Message ${at}`));

  expect(past(turns)).toHaveLength(40);
  expect(past(turns).at(-1)?.content).toBe("Message 99");
});

test("a question knows its answer, an answer its question", () => {
  expect(answerOf(TALK, 0)?.content).toBe("Hi!");
  expect(answerOf(TALK, 1)).toBeNull();
  expect(answerOf([turn("user", "Hello")], 0)).toBeNull();
  expect(questionOf(TALK, 4)?.content).toBe("And now?");
  expect(lastQuestion(TALK)).toBe(3);
  expect(lastQuestion([])).toBe(-1);
});

test("an answer shows what was recalled for its question", () => {
  const recalled = { memories: 2, tokens: 30, budget: 500, ms: 4 };
  const turns = [turn("user", "What can I cook?", { receipt: "r1", recalled }), turn("assistant", "Soup."), turn("tool", "{}")];

  expect([0, 1, 2].map((at) => receiptOf(turns, at)?.id)).toEqual(["r1", "r1", undefined]);
  expect([0, 1, 2].map((at) => recallOf(turns, at))).toEqual([recalled, recalled, null]);
});

test.each(["(no language model: quoting memory)\n- is vegetarian", "(sem modelo de linguagem: citando a memória)\n- is vegetarian"])(
  "the label of a quote stands beside it, not in it: %s",
  (text) => expect(unlabelled(text)).toBe("- is vegetarian"),
);

test("an answer that begins with a bracket is no quote", () => {
  expect(unlabelled("(not sure) Soup.")).toBe("(not sure) Soup.");
});

test("an answer is heard in whole sentences, each once", () => {
  expect(sentences("Try a ris", 0)).toBe("");
  expect(sentences("Try a risotto. It is go", 0)).toBe("Try a risotto.");
  expect(sentences("Try a risotto. It is good! And", 14)).toBe(" It is good!");
});

test("new names differ, and a temporary one says so", () => {
  const names = new Set(Array.from({ length: 200 }, () => newName("temporary-")));

  expect(names.size).toBe(200);
  expect([...names].every((name) => /^temporary-[0-9a-z]{24}$/.test(name))).toBe(true);
});
