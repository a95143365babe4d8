/** FLIP animation of reordered rows; skipped with prefers-reduced-motion. */

export function flip(node: HTMLElement, place: number): { update: (next: number) => void } {
  let [top, now] = [node.offsetTop, place];
  return {
    update(next) {
      const from = top;
      requestAnimationFrame(() => {
        top = node.offsetTop;
        const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
        if (next !== now && !still)
          node.animate?.([{ transform: `translateY(${from - top}px)` }, { transform: "none" }], {
            duration: 220,
            easing: "ease-out",
          });
        now = next;
      });
    },
  };
}
