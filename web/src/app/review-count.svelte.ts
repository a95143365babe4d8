/** Number of memories in the review queue, shown in the navigation. */

import { api } from "../api/client";

class ReviewCount {
  count = $state(0);

  refresh = async (): Promise<void> => {
    try {
      this.count = (await api.get("/api/memory/inbox", { query: { limit: 100 } })).results.length;
    } catch {
      // The open page reports the error; the badge keeps its last value.
    }
  };
}

/** Refreshed by every page that changes the review queue. */
export const reviewCount = new ReviewCount();
