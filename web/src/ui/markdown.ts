/** A model's words as safe HTML: nothing runs, nothing is fetched, nobody is told that they were read. */

import DOMPurify, { type Config } from "dompurify";
import { marked } from "marked";

const RULES: Config = {
  USE_PROFILES: { html: true },
  // What can fetch, run, style or imitate the page.
  FORBID_TAGS: ["style", "form", "input", "button", "select", "textarea", "option", "video", "audio", "source", "picture", "track", "iframe", "object", "embed", "svg", "math", "dialog", "link", "meta", "base", "template", "map", "area"],
  FORBID_ATTR: ["style", "class", "id", "name", "srcset", "background", "poster", "ping", "action", "formaction", "target", "tabindex", "autofocus", "contenteditable", "is", "slot"],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|#|\/(?!\/))/i,
};

const purifier = DOMPurify(window);
purifier.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A" && node.hasAttribute("href")) {
    node.setAttribute("rel", "noopener noreferrer nofollow external");
    node.setAttribute("target", "_blank");
  }
  // What may be wider than the page scrolls by itself, by keyboard as well.
  if (node.tagName === "PRE" || node.tagName === "TABLE") node.setAttribute("tabindex", "0");
  if (node.tagName === "IMG") node.replaceWith(named(node));
});

/** A picture from elsewhere would tell its owner who reads; its name stands in its place. */
function named(image: Element): Element {
  const text = document.createElement("span");
  text.textContent = `[${image.getAttribute("alt") || "image"}]`;
  return text;
}

export function markdown(text: string): string {
  const html = marked.parse(text, { async: false, gfm: true, breaks: true });
  return purifier.sanitize(html, RULES);
}
