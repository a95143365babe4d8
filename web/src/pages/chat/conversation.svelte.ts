/** State and actions of a conversation. Streaming continues while another page is open. */

import { api } from "../../api/client";
import { toProblem, isAbort, type Problem } from "../../api/problem";
import { sendMessage, regenerate, type ChatEvent } from "../../api/chat-stream";
import type { Chat, Memory, Mode } from "../../api/types";
import { reviewCount } from "../../app/review-count.svelte";
import { chatList } from "./chat-list.svelte";
import {
  newTurn,
  lastQuestionIndex,
  newId,
  toHistory,
  turnFromMessage,
  summarizeReceipt,
  TEMPORARY,
  stripQuoteLabel,
  type LearnedMemory,
  type Turn,
} from "./turns";

/** Messages per page, and the page limit when loading back to a message. */
const PAGE_SIZE = 60;
const MAX_PAGES = 50;
/** Time between renders of a streaming answer. */
const RENDER_INTERVAL_MS = 50;
/** Delays of the polls for memories that were still pending. */
const LEARNED_POLL_DELAYS_MS = [3000, 9000, 20000];

export class Conversation {
  readonly id: string;
  readonly temporary: boolean;
  turns = $state<Turn[]>([]);
  chat = $state.raw<Chat | null>(null);
  /** Memory mode of this chat; null means the user's default. Saved once the chat exists. */
  mode = $state<Mode | null>(null);
  loaded = $state(false);
  problem = $state.raw<Problem | undefined>();
  /** Whether there are earlier messages. */
  more = $state(false);
  busy = $state(false);
  model = $state<string | null | undefined>();
  #controller: AbortController | undefined;
  #load: Promise<void> | undefined;

  constructor(id: string, isNew: boolean) {
    this.id = id;
    this.temporary = id.startsWith(TEMPORARY);
    this.loaded = isNew || this.temporary;
  }

  get title(): string | null {
    return this.chat?.title ?? null;
  }

  /** Load the last page once; concurrent calls share the request. */
  load = async (): Promise<void> => {
    if (!this.loaded) await (this.#load ??= this.#fetch());
  };

  #fetch = async (): Promise<void> => {
    this.problem = undefined;
    try {
      const path = { chat_id: this.id };
      const [chat, { results }] = await Promise.all([
        api.get("/chats/{chat_id}", { path }),
        api.get("/chats/{chat_id}/messages", { path, query: { limit: PAGE_SIZE } }),
      ]);
      this.chat = chat;
      this.mode = chat.mode;
      this.turns = results.map(turnFromMessage);
      this.more = results.length === PAGE_SIZE;
      this.loaded = true;
    } catch (error) {
      this.problem = toProblem(error);
    } finally {
      this.#load = undefined;
    }
  };

  loadEarlier = async (): Promise<void> => {
    const first = this.turns.find((turn) => turn.id);
    if (!this.more || !first?.id) return;
    const { results } = await api.get("/chats/{chat_id}/messages", {
      path: { chat_id: this.id },
      query: { limit: PAGE_SIZE, before: first.id },
    });
    this.more = results.length === PAGE_SIZE;
    this.turns.unshift(...results.map(turnFromMessage));
  };

  /** Load earlier pages until a message is found; returns whether it was. */
  loadUntil = async (message: string): Promise<boolean> => {
    await this.load();
    for (let page = 0; page < MAX_PAGES && this.more && !this.has(message); page++) await this.loadEarlier();
    return this.has(message);
  };

  has(message: string): boolean {
    return this.turns.some((turn) => turn.id === message);
  }

  setMode = async (mode: Mode): Promise<void> => {
    const history = this.mode;
    this.mode = mode;
    if (!this.chat) return;
    try {
      this.chat = await api.patch("/chats/{chat_id}", { path: { chat_id: this.id }, body: { mode } });
    } catch (error) {
      this.mode = history;
      throw error;
    }
  };

  send = async (content: string, isStored: boolean): Promise<void> => {
    const history = toHistory(this.turns);
    const key = newId();
    this.turns.push(newTurn("user", content, key), newTurn("assistant", "", newId()));
    const at = this.turns.length - 1;
    const request = { content, id: key, ...this.#modeOption(), ...(isStored ? {} : { past: history }) };
    await this.#streamAnswer((signal) => sendMessage(this.id, request, signal), at);
  };

  /** Regenerate the answer to the last question. */
  regenerate = async (isStored: boolean): Promise<void> => {
    const at = lastQuestionIndex(this.turns);
    const question = this.turns[at];
    if (!question) return;
    const answer = newTurn("assistant", "", newId());
    this.turns.splice(at + 1, this.turns.length, answer);
    if (question.isStored && isStored) {
      await this.#streamAnswer((signal) => regenerate(this.id, this.#modeOption(), signal), at + 1);
      return;
    }
    const request = {
      content: question.content,
      ...this.#modeOption(),
      past: toHistory(this.turns.slice(0, at)),
    };
    await this.#streamAnswer((signal) => sendMessage(this.id, request, signal), at + 1);
  };

  /** Edit the last question and regenerate its answer. */
  rewordLast = async (content: string, isStored: boolean): Promise<void> => {
    const at = lastQuestionIndex(this.turns);
    const question = this.turns[at];
    if (!question) return;
    if (question.isStored && question.id) {
      await api.patch("/chats/{chat_id}/messages/{message_id}", {
        path: { chat_id: this.id, message_id: question.id },
        body: { content },
      });
    }
    question.content = content;
    await this.regenerate(isStored);
  };

  /** Create a chat with all turns up to one, whose text may be replaced. */
  branch = async (at: number, content: string | undefined, title: string): Promise<Conversation> => {
    const turn = this.turns[at];
    const branchId = newId(this.temporary ? TEMPORARY : "");
    if (!turn?.isStored || !turn.id) return this.#copyLocally(branchId, at, content);
    await api.post("/chats/{chat_id}/branch", {
      path: { chat_id: this.id },
      body: { message_id: turn.id, chat_id: branchId },
    });
    const path = { chat_id: branchId };
    await api.patch("/chats/{chat_id}", { path, body: { title, ...(this.mode ? { mode: this.mode } : {}) } });
    const branch = conversations.get(branchId);
    await branch.load();
    const last = branch.turns.at(-1);
    if (content !== undefined && last?.id) {
      await api.patch("/chats/{chat_id}/messages/{message_id}", {
        path: { ...path, message_id: last.id },
        body: { content },
      });
      last.content = content;
    }
    void chatList.reload();
    return branch;
  };

  /** Stop the answer; the text so far is kept. */
  stop = async (): Promise<void> => {
    try {
      await api.post("/chats/{chat_id}/stop", { path: { chat_id: this.id } });
    } catch {
      this.#controller?.abort();
    }
  };

  #modeOption(): { mode?: Mode } {
    return this.mode && !this.temporary ? { mode: this.mode } : {};
  }

  #copyLocally(branchId: string, at: number, content: string | undefined): Conversation {
    const branch = new Conversation(branchId, true);
    branch.turns = $state
      .snapshot(this.turns.slice(0, at + 1))
      .map((turn) => ({ ...turn, id: null, isStored: false })) as Turn[];
    branch.mode = this.mode;
    const last = branch.turns.at(-1);
    if (content !== undefined && last) last.content = content;
    conversations.add(branch);
    return branch;
  }

  async #streamAnswer(ask: (signal: AbortSignal) => AsyncGenerator<ChatEvent>, at: number): Promise<void> {
    const controller = (this.#controller = new AbortController());
    this.busy = true;
    const answer = this.turns[at];
    const question = this.turns[at - 1];
    if (!answer || !question) return;
    const buffer = new AnswerBuffer(answer);
    try {
      for await (const event of ask(controller.signal)) this.#handleEvent(event, question, answer, buffer);
    } catch (error) {
      if (!isAbort(error)) answer.problem = toProblem(error);
      else answer.stopped = true;
    } finally {
      buffer.flush();
      answer.state = "done";
      answer.learning = false;
      // The next answer may have started while this one was still waiting for its learned memories.
      if (this.#controller === controller) this.busy = false;
    }
  }

  #handleEvent(event: ChatEvent, question: Turn, answer: Turn, buffer: AnswerBuffer): void {
    switch (event.event) {
      case "recalled":
        question.isStored = event.asked.stored;
        question.id = event.asked.stored ? event.asked.id : null;
        question.receipt = event.receipt.id;
        question.recalled = answer.recalled = summarizeReceipt(event.receipt);
        answer.receipt = event.receipt.id;
        answer.fullReceipt = event.receipt;
        answer.isQuote = event.model === null;
        this.model = event.model;
        if (question.isStored) void this.#registerChat();
        break;
      case "delta":
        buffer.append(event.text);
        break;
      case "done":
        buffer.flush();
        answer.id = event.answer?.stored ? event.answer.id : null;
        answer.isStored = event.answer?.stored ?? false;
        answer.content = answer.isQuote ? stripQuoteLabel(event.text) : event.text;
        answer.stopped = event.stopped;
        answer.state = "done";
        answer.learning = question.isStored;
        // Learned memories arrive later; the user can already continue.
        this.busy = false;
        break;
      case "learned":
        answer.learning = event.pending;
        answer.learned = event.results.map(toLearnedMemory);
        if (event.results.length) void reviewCount.refresh();
        if (event.pending) this.#pollLearned(question, answer, 0);
        break;
      case "error":
        answer.problem = event.problem;
        break;
    }
  }

  /** A chat is created by its first stored message. */
  async #registerChat(): Promise<void> {
    if (this.chat) {
      chatList.moveToTop(this.chat);
      return;
    }
    try {
      const path = { chat_id: this.id };
      this.chat = this.mode
        ? await api.patch("/chats/{chat_id}", { path, body: { mode: this.mode } })
        : await api.get("/chats/{chat_id}", { path });
      chatList.moveToTop(this.chat);
    } catch {
      // The list shows the chat after its next reload.
    }
  }

  #pollLearned(question: Turn, answer: Turn, attempt: number): void {
    const delay = LEARNED_POLL_DELAYS_MS[attempt];
    if (delay === undefined) {
      answer.learning = false;
      return;
    }
    setTimeout(async () => {
      try {
        const { results } = await api.get("/api/memory", { query: { chat_id: this.id, limit: 50 } });
        const ours = [question.id, answer.id];
        const learned = results.filter((memory) =>
          memory.sources.some((source) => ours.includes(source.message_id)),
        );
        if (learned.length > (answer.learned?.length ?? 0))
          answer.learned = learned.map((memory) => toLearnedMemory(memory));
      } catch {
        // The next poll tries again.
      }
      this.#pollLearned(question, answer, attempt + 1);
    }, delay);
  }
}

/** Deltas arrive faster than they can be rendered, so they are collected and shown together. */
class AnswerBuffer {
  readonly #answer: Turn;
  #text = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(answer: Turn) {
    this.#answer = answer;
  }

  append(text: string): void {
    this.#text += text;
    this.#timer ??= setTimeout(() => this.flush(), RENDER_INTERVAL_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#text) return;
    const content = this.#answer.content + this.#text;
    this.#text = "";
    this.#answer.state = "streaming";
    this.#answer.content = this.#answer.isQuote ? stripQuoteLabel(content) : content;
  }
}

function toLearnedMemory(memory: Memory & { event?: string }): LearnedMemory {
  return { memory, isReinforced: memory.event === "REINFORCE", state: "learned" };
}

class Conversations {
  #all = new Map<string, Conversation>();
  #draft: Conversation | undefined;

  get(id: string): Conversation {
    return this.#all.get(id) ?? this.add(new Conversation(id, false));
  }

  /** The new conversation, registered with its first message. */
  draft(): Conversation {
    return (this.#draft ??= new Conversation(newId(), true));
  }

  register(conversation: Conversation): void {
    if (this.#draft === conversation) this.#draft = undefined;
    this.add(conversation);
  }

  add(conversation: Conversation): Conversation {
    this.#all.set(conversation.id, conversation);
    return conversation;
  }

  remove(id: string): void {
    this.#all.delete(id);
  }
}

export const conversations = new Conversations();
