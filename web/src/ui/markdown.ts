/** Renders Markdown as sanitized HTML: no scripts, no external requests. */

import DOMPurify, { type Config } from "dompurify";
import { marked } from "marked";

const SANITIZE_CONFIG: Config = {
  USE_PROFILES: { html: true },
  // Elements that can fetch, run, restyle or imitate the page.
  FORBID_TAGS: [
    "style",
    "form",
    "input",
    "button",
    "select",
    "textarea",
    "option",
    "video",
    "audio",
    "source",
    "picture",
    "track",
    "iframe",
    "object",
    "embed",
    "svg",
    "math",
    "dialog",
    "link",
    "meta",
    "base",
    "template",
    "map",
    "area",
  ],
  FORBID_ATTR: [
    "style",
    "class",
    "id",
    "name",
    "srcset",
    "background",
    "poster",
    "ping",
    "action",
    "formaction",
    "target",
    "tabindex",
    "autofocus",
    "contenteditable",
    "is",
    "slot",
  ],
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
  // Wide blocks scroll; make them focusable for keyboards.
  if (node.tagName === "PRE" || node.tagName === "TABLE") node.setAttribute("tabindex", "0");
  if (node.tagName === "IMG") node.replaceWith(imageLabel(node));
});

/** Remote images would leak that the page was read, so show the alt text instead. */
function imageLabel(image: Element): Element {
  const text = document.createElement("span");
  text.textContent = `[${image.getAttribute("alt") || "image"}]`;
  return text;
}

export function renderMarkdown(text: string): string {
  const html = marked.parse(text, { async: false, gfm: true, breaks: true });
  return purifier.sanitize(html, SANITIZE_CONFIG);
}
