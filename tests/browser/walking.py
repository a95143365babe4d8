"""Goes round a page with the Tab key alone."""

from dataclasses import dataclass

from playwright.sync_api import Page

#: Notes every control that Tab ought to reach and how it looks without the focus; then each step of the way.
ROUND = """() => {
  const CONTROLS = "a[href], button, input, select, textarea, summary, [tabindex]";
  const seen = (control) => control.checkVisibility({ visibilityProperty: true }) && !control.closest("[inert]");
  const ours = (control) => control.type !== "radio" || control.checked;
  const stops = [...document.querySelectorAll(CONTROLS)].filter(
    (control) => control.tabIndex >= 0 && !control.matches(":disabled") && seen(control) && ours(control),
  );
  // A field's ring may be drawn around the box it stands in, or on its label.
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
  // A date is several fields in one.
  const patience = (control) => (/^(date|time|month|week)/.test(control.type ?? "") ? 8 : 0);
  const told = (control) => control.outerHTML.replace(/\\s+/g, " ").slice(0, 160);

  const reached = new Set();
  const unseen = new Set();
  let first, last, again = 0;
  const step = () => {
    const control = document.activeElement;
    if (control === document.body) return "on";
    again = control === last ? again + 1 : 0;
    if (again > patience(control)) return "stuck";
    last = control;
    if (control === first && again === 0) return "round";
    first ??= control;
    reached.add(control);
    if (!rings(control).some(shows)) unseen.add(control);
    return "on";
  };
  return {
    step,
    most: 2 * stops.length + 40,
    result: () => ({
      missed: stops.filter((control) => !reached.has(control)).map(told),
      unseen: [...unseen].map(told),
      last: told(last ?? document.body),
    }),
  };
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    end: str  #: "round" if the focus came back to where it began
    missed: list[str]  #: controls that never had it
    unseen: list[str]  #: controls that had it and did not show it
    last: str  #: what had it at the end


def walked(page: Page) -> Walk:
    """Press Tab until the focus is back where it began, or goes no further."""
    tour = page.evaluate_handle(ROUND)
    end = "on"
    for _ in range(int(tour.evaluate("tour => tour.most"))):
        page.keyboard.press("Tab")
        end = str(tour.evaluate("tour => tour.step()"))
        if end != "on":
            break
    return Walk(end=end, **tour.evaluate("tour => tour.result()"))
