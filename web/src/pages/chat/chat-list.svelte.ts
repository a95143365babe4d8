/** Chat list, kept while other pages are open. */

import { api } from "../../api/client";
import { Resource } from "../../api/resource.svelte";
import type { Chat } from "../../api/types";

const MAX_CHATS = 1000;

class ChatList extends Resource<Chat[]> {
  constructor() {
    super(async (signal) => (await api.get("/chats", { query: { limit: MAX_CHATS }, signal })).results);
  }

  /** Insert a chat at the top, or move it there. */
  moveToTop(chat: Chat): void {
    this.data = [chat, ...(this.data ?? []).filter((each) => each.id !== chat.id)];
  }

  replace(chat: Chat): void {
    this.data = this.data?.map((each) => (each.id === chat.id ? chat : each));
  }

  remove(id: string): void {
    this.data = this.data?.filter((each) => each.id !== id);
  }
}

export const chatList = new ChatList();
