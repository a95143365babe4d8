/** Paths and what they name; the router's only thinking. */

export type Params = Record<string, string>;

/** `/chat/:chat?` takes `/chat` and `/chat/abc`. */
export function match(pattern: string, path: string): Params | null {
  const wanted = parts(pattern);
  const given = parts(path);
  if (given.length > wanted.length) return null;
  const params: Params = {};
  for (const [at, part] of wanted.entries()) {
    const value = given[at];
    if (!part.startsWith(":")) {
      if (part !== value) return null;
      continue;
    }
    if (value === undefined) {
      if (!part.endsWith("?")) return null;
      continue;
    }
    const read = decoded(value);
    if (read === null) return null;
    params[part.replace(/^:|\?$/g, "")] = read;
  }
  return params;
}

function parts(path: string): string[] {
  return path.split("/").filter(Boolean);
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null; // Not a path of ours: "%" stands alone in it.
  }
}

/** Whether a click on a link is ours to follow, rather than the browser's. */
export function isOurs(event: MouseEvent, link: HTMLAnchorElement, here: string): boolean {
  const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  return (
    plain &&
    !event.defaultPrevented &&
    link.origin === here &&
    !link.target &&
    !link.hasAttribute("download") &&
    link.getAttribute("rel") !== "external"
  );
}
