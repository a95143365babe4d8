/** Client-side router. Links are plain `<a href>`; internal ones are handled here. */

import { isInternalLink, matchPath, type Params } from "./path-matching";
import { HOME_PATH, routes, type Route } from "./routes";

export interface RouteLocation {
  route: Route | undefined;
  params: Params;
  path: string;
  query: URLSearchParams;
  hash: string;
}

function locateRoute(location: Location | URL): RouteLocation {
  const path = location.pathname === "/" ? HOME_PATH : location.pathname;
  const query = new URLSearchParams(location.search);
  const hash = location.hash.slice(1);
  for (const route of routes) {
    const params = matchPath(route.path, path);
    if (params) return { route, params, path, query, hash };
  }
  return { route: undefined, params: {}, path, query, hash };
}

class Router {
  #location = $state.raw<RouteLocation>(locateRoute(location));

  get route(): Route | undefined {
    return this.#location.route;
  }
  get params(): Params {
    return this.#location.params;
  }
  get path(): string {
    return this.#location.path;
  }
  get query(): URLSearchParams {
    return this.#location.query;
  }
  get hash(): string {
    return this.#location.hash;
  }

  /** Navigate with a new history entry. */
  navigate(address: string): void {
    history.pushState(null, "", address);
    this.#sync();
  }

  /** Replace the current history entry, for filters and searches. */
  replace(address: string): void {
    history.replaceState(null, "", address);
    this.#sync();
  }

  /** Change some query parameters and keep the rest; an empty value removes one. */
  setQuery(query: Record<string, string | null | undefined>): void {
    const next = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(query)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    this.replace(location.pathname + (next.size ? `?${next}` : "") + location.hash);
  }

  listen(): () => void {
    const sync = () => this.#sync();
    const followLink = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest("a") : null;
      if (!link?.href || !isInternalLink(event, link, location.origin)) return;
      const target = new URL(link.href);
      // Anchors on the same page are left to the browser, unknown paths to the server.
      if (target.pathname === location.pathname && target.search === location.search && target.hash) return;
      if (!locateRoute(target).route) return;
      event.preventDefault();
      this.navigate(target.pathname + target.search + target.hash);
    };
    addEventListener("popstate", sync);
    addEventListener("click", followLink);
    return () => {
      removeEventListener("popstate", sync);
      removeEventListener("click", followLink);
    };
  }

  #sync(): void {
    this.#location = locateRoute(location);
  }
}

export const router = new Router();
