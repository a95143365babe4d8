"""Walks through a page with the Tab key."""

from dataclasses import dataclass

from playwright.sync_api import Page

#: Collects all focusable controls with their unfocused style, then records each step.
TAB_ORDER_SCRIPT = """() => {
  const CONTROLS = "a[href], button, input, select, textarea, summary, [tabindex]";
  const seen = (control) => control.checkVisibility({ visibilityProperty: true }) && !control.closest("[inert]");
  const ours = (control) => control.type !== "radio" || control.checked;
  const stops = [...document.querySelectorAll(CONTROLS)].filter(
    (control) => control.tabIndex >= 0 && !control.matches(":disabled") && seen(control) && ours(control),
  );
  // A field's focus ring may be drawn on its box or on its label.
  const rings = (control) => {
    if (!control.matches("input, select, textarea")) return [control];
    return [control, ...control.labels, control.parentElement, control.parentElement.parentElement];
  };
  const look = (element) => {
    const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(element);
    const outline = outlineStyle === "none" || outlineWidth === "0px" ? "" : `${outlineStyle} ${outlineColor}`;
    return [outline, boxShadow === "none" ? "" : boxShadow];
  };
  const rest = new Map(stops.flatMap(rings).map((element) => [element, look(element)]));
  const shows = (element) =>
    element.checkVisibility({ opacityProperty: true }) &&
    look(element).some((drawn, at) => drawn && drawn !== rest.get(element)?.[at]);
  // A date input has several tab stops.
  const maxRepeats = (control) => (/^(date|time|month|week)/.test(control.type ?? "") ? 8 : 0);
  const describe = (control) => control.outerHTML.replace(/\\s+/g, " ").slice(0, 160);

  const reached = new Set();
  const withoutRing = new Set();
  let first, last, again = 0;
  const step = () => {
    const control = document.activeElement;
    if (control === document.body) return "on";
    again = control === last ? again + 1 : 0;
    if (again > maxRepeats(control)) return "stuck";
    last = control;
    if (control === first && again === 0) return "round";
    first ??= control;
    reached.add(control);
    if (!rings(control).some(shows)) withoutRing.add(control);
    return "on";
  };
  return {
    step,
    most: 2 * stops.length + 40,
    result: () => ({
      missed: stops.filter((control) => !reached.has(control)).map(describe),
      without_focus_ring: [...withoutRing].map(describe),
      last: describe(last ?? document.body),
    }),
  };
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TabOrder:
    end: str  #: "round" if the focus returned to the first control
    missed: list[str]  #: controls that never got the focus
    without_focus_ring: list[str]  #: controls without a visible focus ring
    last: str  #: last focused control


def walk_tab_order(page: Page) -> TabOrder:
    """Press Tab until the focus returns to the first control or gets stuck."""
    tour = page.evaluate_handle(TAB_ORDER_SCRIPT)
    end = "on"
    for _ in range(int(tour.evaluate("tour => tour.most"))):
        page.keyboard.press("Tab")
        end = str(tour.evaluate("tour => tour.step()"))
        if end != "on":
            break
    return TabOrder(end=end, **tour.evaluate("tour => tour.result()"))
