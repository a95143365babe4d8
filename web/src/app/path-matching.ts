/** Matching of paths against route patterns. */

export type Params = Record<string, string>;

/** `/chat/:chat?` matches `/chat` and `/chat/abc`. */
export function matchPath(pattern: string, path: string): Params | null {
  const patternParts = splitPath(pattern);
  const pathParts = splitPath(path);
  if (pathParts.length > patternParts.length) return null;
  const params: Params = {};
  for (const [at, part] of patternParts.entries()) {
    const value = pathParts[at];
    if (!part.startsWith(":")) {
      if (part !== value) return null;
      continue;
    }
    if (value === undefined) {
      if (!part.endsWith("?")) return null;
      continue;
    }
    const decodedValue = decodePart(value);
    if (decodedValue === null) return null;
    params[part.replace(/^:|\?$/g, "")] = decodedValue;
  }
  return params;
}

function splitPath(path: string): string[] {
  return path.split("/").filter(Boolean);
}

function decodePart(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null; // Invalid percent encoding.
  }
}

/** Whether the router should handle a click on a link instead of the browser. */
export function isInternalLink(event: MouseEvent, link: HTMLAnchorElement, origin: string): boolean {
  const isPlainClick =
    event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  return (
    isPlainClick &&
    !event.defaultPrevented &&
    link.origin === origin &&
    !link.target &&
    !link.hasAttribute("download") &&
    link.getAttribute("rel") !== "external"
  );
}
