/** The list of chats, which outlives the page. */

import { api } from "../../api/client";
import { Resource } from "../../api/resource.svelte";
import type { Chat } from "../../api/types";

const MOST = 1000;

class Chats extends Resource<Chat[]> {
  constructor() {
    super(async (signal) => (await api.get("/chats", { query: { limit: MOST }, signal })).results);
  }

  /** A chat was used or changed: it stands first. */
  touch(chat: Chat): void {
    this.data = [chat, ...(this.data ?? []).filter((each) => each.id !== chat.id)];
  }

  change(chat: Chat): void {
    this.data = this.data?.map((each) => (each.id === chat.id ? chat : each));
  }

  drop(id: string): void {
    this.data = this.data?.filter((each) => each.id !== id);
  }
}

export const chats = new Chats();
