/** A conversation and all that can be done in it. It goes on while another page is shown. */

import { api } from "../../api/client";
import { asThrown, isAbort, type Problem } from "../../api/problem";
import { converse, regenerate, type ChatEvent } from "../../api/stream";
import type { Chat, Memory, Mode } from "../../api/types";
import { waiting } from "../../app/inbox.svelte";
import { chats } from "./chats.svelte";
import { fresh, lastQuestion, newName, past, said, short, TEMPORARY, unlabelled, type Lesson, type Turn } from "./turns";

/** Messages that are loaded at once, and how often more are when one is looked for. */
const PAGE = 60;
const MOST_PAGES = 50;
/** Milliseconds between two looks at an answer that comes. */
const FRAME = 50;
/** Milliseconds after which what was not learned yet is looked at again. */
const LATER = [3000, 9000, 20000];

export class Conversation {
  readonly id: string;
  readonly temporary: boolean;
  turns = $state<Turn[]>([]);
  chat = $state.raw<Chat | null>(null);
  /** How memory is used here, if the user chose; kept with the chat once it exists. */
  mode = $state<Mode | null>(null);
  loaded = $state(false);
  problem = $state.raw<Problem | undefined>();
  /** Whether there is more above. */
  more = $state(false);
  busy = $state(false);
  model = $state<string | null | undefined>();
  #running: AbortController | undefined;
  #load: Promise<void> | undefined;
  #coming = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(id: string, isNew: boolean) {
    this.id = id;
    this.temporary = id.startsWith(TEMPORARY);
    this.loaded = isNew || this.temporary;
  }

  get title(): string | null {
    return this.chat?.title ?? null;
  }

  /** Load the end of it, once; whoever asks meanwhile waits for the same. */
  load = async (): Promise<void> => {
    if (!this.loaded) await (this.#load ??= this.#fetch());
  };

  #fetch = async (): Promise<void> => {
    this.problem = undefined;
    try {
      const path = { chat_id: this.id };
      const [chat, { results }] = await Promise.all([
        api.get("/chats/{chat_id}", { path }),
        api.get("/chats/{chat_id}/messages", { path, query: { limit: PAGE } }),
      ]);
      this.chat = chat;
      this.mode = chat.mode;
      this.turns = results.map(said);
      this.more = results.length === PAGE;
      this.loaded = true;
    } catch (error) {
      this.problem = asThrown(error);
    } finally {
      this.#load = undefined;
    }
  };

  earlier = async (): Promise<void> => {
    const first = this.turns.find((turn) => turn.id);
    if (!this.more || !first?.id) return;
    const { results } = await api.get("/chats/{chat_id}/messages", { path: { chat_id: this.id }, query: { limit: PAGE, before: first.id } });
    this.more = results.length === PAGE;
    this.turns.unshift(...results.map(said));
  };

  /** Load as far back as a message; whether it is there. */
  reach = async (message: string): Promise<boolean> => {
    await this.load();
    for (let page = 0; page < MOST_PAGES && this.more && !this.has(message); page++) await this.earlier();
    return this.has(message);
  };

  has(message: string): boolean {
    return this.turns.some((turn) => turn.id === message);
  }

  choose = async (mode: Mode): Promise<void> => {
    const before = this.mode;
    this.mode = mode;
    if (!this.chat) return;
    try {
      this.chat = await api.patch("/chats/{chat_id}", { path: { chat_id: this.id }, body: { mode } });
    } catch (error) {
      this.mode = before;
      throw error;
    }
  };

  say = async (content: string, listens: boolean): Promise<void> => {
    const before = past(this.turns);
    const key = newName();
    this.turns.push(fresh("user", content, key), fresh("assistant", "", newName()));
    const at = this.turns.length - 1;
    const sent = { content, id: key, ...this.#how(), ...(listens ? {} : { past: before }) };
    await this.#run((signal) => converse(this.id, sent, signal), at);
  };

  /** Answer the last question anew. */
  again = async (listens: boolean): Promise<void> => {
    const at = lastQuestion(this.turns);
    const question = this.turns[at];
    if (!question) return;
    const answer = fresh("assistant", "", newName());
    this.turns.splice(at + 1, this.turns.length, answer);
    if (question.kept && listens) {
      await this.#run((signal) => regenerate(this.id, this.#how(), signal), at + 1);
      return;
    }
    const sent = { content: question.content, ...this.#how(), past: past(this.turns.slice(0, at)) };
    await this.#run((signal) => converse(this.id, sent, signal), at + 1);
  };

  /** Put other words in the place of the last question, and answer them. */
  reword = async (content: string, listens: boolean): Promise<void> => {
    const at = lastQuestion(this.turns);
    const question = this.turns[at];
    if (!question) return;
    if (question.kept && question.id) {
      await api.patch("/chats/{chat_id}/messages/{message_id}", { path: { chat_id: this.id, message_id: question.id }, body: { content } });
    }
    question.content = content;
    await this.again(listens);
  };

  /** A new chat with everything up to a turn, whose words may be others there. */
  branch = async (at: number, content: string | undefined, title: string): Promise<Conversation> => {
    const turn = this.turns[at];
    const name = newName(this.temporary ? TEMPORARY : "");
    if (!turn?.kept || !turn.id) return this.#copied(name, at, content);
    await api.post("/chats/{chat_id}/branch", { path: { chat_id: this.id }, body: { message_id: turn.id, chat_id: name } });
    const path = { chat_id: name };
    await api.patch("/chats/{chat_id}", { path, body: { title, ...(this.mode ? { mode: this.mode } : {}) } });
    const there = conversations.of(name);
    await there.load();
    const last = there.turns.at(-1);
    if (content !== undefined && last?.id) {
      await api.patch("/chats/{chat_id}/messages/{message_id}", { path: { ...path, message_id: last.id }, body: { content } });
      last.content = content;
    }
    void chats.reload();
    return there;
  };

  /** End the answer; what came of it is kept. */
  stop = async (): Promise<void> => {
    try {
      await api.post("/chats/{chat_id}/stop", { path: { chat_id: this.id } });
    } catch {
      this.#running?.abort();
    }
  };

  #how(): { mode?: Mode } {
    return this.mode && !this.temporary ? { mode: this.mode } : {};
  }

  #copied(name: string, at: number, content: string | undefined): Conversation {
    const there = new Conversation(name, true);
    there.turns = $state.snapshot(this.turns.slice(0, at + 1)).map((turn) => ({ ...turn, id: null, kept: false })) as Turn[];
    there.mode = this.mode;
    const last = there.turns.at(-1);
    if (content !== undefined && last) last.content = content;
    conversations.put(there);
    return there;
  }

  async #run(ask: (signal: AbortSignal) => AsyncGenerator<ChatEvent>, at: number): Promise<void> {
    const running = (this.#running = new AbortController());
    this.busy = true;
    const answer = this.turns[at];
    const question = this.turns[at - 1];
    if (!answer || !question) return;
    try {
      for await (const event of ask(running.signal)) this.#heard(event, question, answer);
    } catch (error) {
      if (!isAbort(error)) answer.problem = asThrown(error);
      else answer.stopped = true;
    } finally {
      this.#show(answer);
      answer.state = "done";
      answer.learning = false;
      this.busy = false;
    }
  }

  /** Words come faster than they can be drawn: they are shown a few at a time. */
  #show(answer: Turn): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#coming) return;
    const content = answer.content + this.#coming;
    this.#coming = "";
    answer.state = "streaming";
    answer.content = answer.quoted ? unlabelled(content) : content;
  }

  #heard(event: ChatEvent, question: Turn, answer: Turn): void {
    switch (event.event) {
      case "recalled":
        question.kept = event.asked.stored;
        question.id = event.asked.stored ? event.asked.id : null;
        question.receipt = event.receipt.id;
        question.recalled = answer.recalled = short(event.receipt);
        answer.receipt = event.receipt.id;
        answer.whole = event.receipt;
        answer.quoted = event.model === null;
        this.model = event.model;
        if (question.kept) void this.#born();
        break;
      case "delta":
        this.#coming += event.text;
        this.#timer ??= setTimeout(() => this.#show(answer), FRAME);
        break;
      case "done":
        this.#show(answer);
        answer.id = event.answer?.stored ? event.answer.id : null;
        answer.kept = event.answer?.stored ?? false;
        answer.content = answer.quoted ? unlabelled(event.text) : event.text;
        answer.stopped = event.stopped;
        answer.state = "done";
        answer.learning = question.kept;
        // What is learned comes later; one may go on.
        this.busy = false;
        break;
      case "learned":
        answer.learning = event.pending;
        answer.learned = event.results.map(lesson);
        if (event.results.length) void waiting.look();
        if (event.pending) this.#lookLater(question, answer, 0);
        break;
      case "error":
        answer.problem = event.problem;
        break;
    }
  }

  /** The chat exists from its first message on. */
  async #born(): Promise<void> {
    if (this.chat) {
      chats.touch(this.chat);
      return;
    }
    try {
      const path = { chat_id: this.id };
      this.chat = this.mode ? await api.patch("/chats/{chat_id}", { path, body: { mode: this.mode } }) : await api.get("/chats/{chat_id}", { path });
      chats.touch(this.chat);
    } catch {
      // The list shows it when it is loaded again.
    }
  }

  #lookLater(question: Turn, answer: Turn, time: number): void {
    const wait = LATER[time];
    if (wait === undefined) {
      answer.learning = false;
      return;
    }
    setTimeout(async () => {
      try {
        const { results } = await api.get("/api/memory", { query: { chat_id: this.id, limit: 50 } });
        const ours = [question.id, answer.id];
        const found = results.filter((memory) => memory.sources.some((source) => ours.includes(source.message_id)));
        if (found.length > (answer.learned?.length ?? 0)) answer.learned = found.map((memory) => lesson(memory));
      } catch {
        // Another look follows, or the timeline tells it.
      }
      this.#lookLater(question, answer, time + 1);
    }, wait);
  }
}

function lesson(memory: Memory & { event?: string }): Lesson {
  return { memory, again: memory.event === "REINFORCE", state: "kept" };
}

class Conversations {
  #all = new Map<string, Conversation>();
  #next: Conversation | undefined;

  of(id: string): Conversation {
    return this.#all.get(id) ?? this.put(new Conversation(id, false));
  }

  /** The one that begins with the first word said. */
  next(): Conversation {
    return (this.#next ??= new Conversation(newName(), true));
  }

  begun(conversation: Conversation): void {
    if (this.#next === conversation) this.#next = undefined;
    this.put(conversation);
  }

  put(conversation: Conversation): Conversation {
    this.#all.set(conversation.id, conversation);
    return conversation;
  }

  drop(id: string): void {
    this.#all.delete(id);
  }
}

export const conversations = new Conversations();
