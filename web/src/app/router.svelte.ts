/** Where we are. Links are plain `<a href>`; this follows those that are ours. */

import { isOurs, match, type Params } from "./match";
import { home, routes, type Route } from "./routes";

export interface Place {
  route: Route | undefined;
  params: Params;
  path: string;
  query: URLSearchParams;
  hash: string;
}

function placeOf(location: Location | URL): Place {
  const path = location.pathname === "/" ? home : location.pathname;
  const query = new URLSearchParams(location.search);
  const hash = location.hash.slice(1);
  for (const route of routes) {
    const params = match(route.path, path);
    if (params) return { route, params, path, query, hash };
  }
  return { route: undefined, params: {}, path, query, hash };
}

class Router {
  #place = $state.raw<Place>(placeOf(location));

  get route(): Route | undefined {
    return this.#place.route;
  }
  get params(): Params {
    return this.#place.params;
  }
  get path(): string {
    return this.#place.path;
  }
  get query(): URLSearchParams {
    return this.#place.query;
  }
  get hash(): string {
    return this.#place.hash;
  }

  /** Go somewhere; the browser's back button comes back. */
  go(address: string): void {
    history.pushState(null, "", address);
    this.#arrive();
  }

  /** The same place with other words in its address: filters, a search. */
  replace(address: string): void {
    history.replaceState(null, "", address);
    this.#arrive();
  }

  /** Change parts of the query and leave the rest; an empty value takes one out. */
  put(query: Record<string, string | null | undefined>): void {
    const next = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(query)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    this.replace(location.pathname + (next.size ? `?${next}` : "") + location.hash);
  }

  listen(): () => void {
    const arrive = () => this.#arrive();
    const follow = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest("a") : null;
      if (!link?.href || !isOurs(event, link, location.origin)) return;
      const there = new URL(link.href);
      // The skip link and other places on the same page belong to the browser, what no page answers to the server.
      if (there.pathname === location.pathname && there.search === location.search && there.hash) return;
      if (!placeOf(there).route) return;
      event.preventDefault();
      this.go(there.pathname + there.search + there.hash);
    };
    addEventListener("popstate", arrive);
    addEventListener("click", follow);
    return () => {
      removeEventListener("popstate", arrive);
      removeEventListener("click", follow);
    };
  }

  #arrive(): void {
    this.#place = placeOf(location);
  }
}

export const router = new Router();
