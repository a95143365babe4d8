/** Every page: its address, its place in the navigation, and how it is loaded. The server knows the same first words. */

import type { Component } from "svelte";

import type { IconName } from "../ui/icons";
import type { Params } from "./match";
import type { ShellKey } from "./words";

export interface PageProps {
  /** What stands in the address: `/memory/:memory?` gives `params.memory`. */
  params: Params;
}
export type Page = Component<PageProps>;
export interface Route {
  name: string;
  /** Not a word of the API: /memories, /chats, /health and /metrics are taken. */
  path: string;
  title: ShellKey;
  icon?: IconName;
  /** Pressed after `g`. */
  key?: string;
  load: () => Promise<{ default: Page }>;
}

export const routes: readonly Route[] = [
  { name: "chat", path: "/chat/:chat?", title: "nav.chat", icon: "chat", key: "c", load: () => import("../pages/chat/Page.svelte") },
  { name: "memory", path: "/memory/:memory?", title: "nav.memory", icon: "memory", key: "m", load: () => import("../pages/memory/Page.svelte") },
  { name: "inbox", path: "/inbox", title: "nav.inbox", icon: "inbox", key: "i", load: () => import("../pages/inbox/Page.svelte") },
  { name: "timeline", path: "/timeline/:day?", title: "nav.timeline", icon: "timeline", key: "t", load: () => import("../pages/timeline/Page.svelte") },
  { name: "profile", path: "/profile", title: "nav.profile", icon: "profile", key: "p", load: () => import("../pages/profile/Page.svelte") },
  { name: "analytics", path: "/analytics", title: "nav.analytics", icon: "analytics", key: "a", load: () => import("../pages/analytics/Page.svelte") },
  { name: "lab", path: "/lab", title: "nav.lab", icon: "lab", key: "l", load: () => import("../pages/lab/Page.svelte") },
  { name: "settings", path: "/settings/:section?", title: "nav.settings", icon: "settings", key: "s", load: () => import("../pages/settings/Page.svelte") },
  { name: "connect", path: "/connect/:section?", title: "nav.connect", icon: "connect", key: "o", load: () => import("../pages/connect/Page.svelte") },
  { name: "status", path: "/status", title: "nav.status", icon: "health", key: "h", load: () => import("../pages/status/Page.svelte") },
  { name: "receipt", path: "/receipt/:receipt", title: "nav.receipt", load: () => import("../pages/receipt/Page.svelte") },
];

export const home = "/chat";
export const navigation = routes.filter((route): route is Route & { icon: IconName; key: string } => !!route.icon);
