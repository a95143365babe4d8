/** All routes: path, navigation entry, lazy import. The server lists the same first path segments. */

import type { Component } from "svelte";

import type { IconName } from "../ui/icons";
import type { Params } from "./path-matching";
import type { RouteTitleKey } from "./messages";

export interface PageProps {
  /** Path parameters: `/memory/:memory?` gives `params.memory`. */
  params: Params;
}
export type Page = Component<PageProps>;
export interface Route {
  name: string;
  /** Must not collide with the API: /memories, /chats, /health and /metrics are taken. */
  path: string;
  title: RouteTitleKey;
  icon?: IconName;
  /** Second key of the `g` shortcut. */
  key?: string;
  load: () => Promise<{ default: Page }>;
}

export const routes: readonly Route[] = [
  {
    name: "chat",
    path: "/chat/:chat?",
    title: "nav.chat",
    icon: "chat",
    key: "c",
    load: () => import("../pages/chat/Page.svelte"),
  },
  {
    name: "memory",
    path: "/memory/:memory?",
    title: "nav.memory",
    icon: "memory",
    key: "m",
    load: () => import("../pages/memory/Page.svelte"),
  },
  {
    name: "review",
    path: "/inbox",
    title: "nav.review",
    icon: "review",
    key: "i",
    load: () => import("../pages/review/Page.svelte"),
  },
  {
    name: "timeline",
    path: "/timeline/:day?",
    title: "nav.timeline",
    icon: "timeline",
    key: "t",
    load: () => import("../pages/timeline/Page.svelte"),
  },
  {
    name: "profile",
    path: "/profile",
    title: "nav.profile",
    icon: "profile",
    key: "p",
    load: () => import("../pages/profile/Page.svelte"),
  },
  {
    name: "analytics",
    path: "/analytics",
    title: "nav.analytics",
    icon: "analytics",
    key: "a",
    load: () => import("../pages/analytics/Page.svelte"),
  },
  {
    name: "tuning",
    path: "/lab",
    title: "nav.tuning",
    icon: "tuning",
    key: "l",
    load: () => import("../pages/tuning/Page.svelte"),
  },
  {
    name: "settings",
    path: "/settings/:section?",
    title: "nav.settings",
    icon: "settings",
    key: "s",
    load: () => import("../pages/settings/Page.svelte"),
  },
  {
    name: "connect",
    path: "/connect/:section?",
    title: "nav.connect",
    icon: "connect",
    key: "o",
    load: () => import("../pages/connect/Page.svelte"),
  },
  {
    name: "health",
    path: "/status",
    title: "nav.health",
    icon: "health",
    key: "h",
    load: () => import("../pages/health/Page.svelte"),
  },
  {
    name: "receipt",
    path: "/receipt/:receipt",
    title: "nav.receipt",
    load: () => import("../pages/receipt/Page.svelte"),
  },
];

export const HOME_PATH = "/chat";
export const navigation = routes.filter(
  (route): route is Route & { icon: IconName; key: string } => !!route.icon,
);
