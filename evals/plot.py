"""Draws recall against milliseconds as an SVG: a point for each way to recall, named, on a scale of tenfolds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import count
from math import ceil, floor, log10

from evals.measures import Figures

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 60, 210, 30, 50
INK, FAINT, POINT = "#3a3733", "#d8d3ca", "#2f6f6a"
#: How wide a letter is at most, how high a line is, and how far a name stands from its point.
LETTER, LINE, GAP = 6.7, 16.0, 9.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    name: str
    milliseconds: float
    percent: float


def points(curve: Mapping[str, object], mark: str) -> list[Point]:
    return [
        Point(name=name, milliseconds=float(str(said["ms_p50"])), percent=float(str(said[mark])))
        for name, said in curve.items()
        if isinstance(said, dict)
    ]


def drawing(curve: Figures, mark: str = "turn_recall@10") -> str:
    shown = points(curve, mark)
    scale = _Scale.around(shown)
    lines = [*_grid(scale), *_dots(shown, scale)]
    return "\n".join(
        [
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
                f' font-family="system-ui, sans-serif" font-size="12" fill="{INK}">'
            ),
            f"<title>{escape(mark)} against milliseconds of processor time</title>",
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fbfaf7"/>',
            *lines,
            f'<text x="{LEFT}" y="18">{escape(mark)}, %</text>',
            f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 12}" text-anchor="end">ms of processor time, median</text>',
            "</svg>\n",
        ]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scale:
    least: float  #: as powers of ten
    most: float
    low: float
    high: float

    @classmethod
    def around(cls, shown: Sequence[Point]) -> "_Scale":
        return cls(
            least=floor(log10(min(p.milliseconds for p in shown))),
            most=ceil(log10(max(p.milliseconds for p in shown))),
            low=10 * floor(min(p.percent for p in shown) / 10),
            high=10 * ceil(max(p.percent for p in shown) / 10),
        )

    def x(self, milliseconds: float) -> float:
        share = (log10(milliseconds) - self.least) / max(self.most - self.least, 1)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, percent: float) -> float:
        share = (percent - self.low) / max(self.high - self.low, 1)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _grid(scale: _Scale) -> Iterator[str]:
    for percent in range(int(scale.low), int(scale.high) + 1, 10):
        y = scale.y(percent)
        yield f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="{FAINT}"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{percent}</text>'
    for power in range(int(scale.least), int(scale.most) + 1):
        x = scale.x(10**power)
        yield f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="{FAINT}"/>'
        yield f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{10**power:g}</text>'


def _dots(shown: Sequence[Point], scale: _Scale) -> Iterator[str]:
    places = {point: (scale.x(point.milliseconds), scale.y(point.percent)) for point in shown}
    taken = [_Box(left=x - GAP, right=x + GAP / 2, y=y) for x, y in places.values()]
    for point, (x, y) in places.items():
        label = next(box for box in _boxes(point, x, y) if not any(map(box.touches, taken)))
        taken.append(label)
        if label.y != y:
            yield f'<path d="M{x:.1f} {y:.1f}L{label.left:.1f} {label.y:.1f}" stroke="{POINT}" stroke-width="0.7"/>'
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{POINT}"/>'
        yield f'<text x="{label.left:.1f}" y="{label.y + 4:.1f}">{escape(point.name)}</text>'


@dataclass(frozen=True, slots=True, kw_only=True)
class _Box:
    """A line of text, or a point."""

    left: float
    right: float
    y: float

    def touches(self, other: "_Box") -> bool:
        return self.left < other.right and other.left < self.right and abs(self.y - other.y) < LINE


def _boxes(point: Point, x: float, y: float) -> Iterator[_Box]:
    """Where its name may stand: right beside it, or else further down or up."""
    for far in count():
        for line in dict.fromkeys((far, -far)):
            left = x + GAP
            yield _Box(left=left, right=left + LETTER * len(point.name), y=y + line * LINE)
