"""SVG chart of recall against latency: one labelled point per configuration, logarithmic time axis."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import count
from math import ceil, floor, log10

from evals.measures import Figures

IMAGE_WIDTH, IMAGE_HEIGHT = 760, 420
LEFT_MARGIN, RIGHT_MARGIN, TOP_MARGIN, BOTTOM_MARGIN = 60, 210, 30, 50
TEXT_COLOUR, GRID_COLOUR, POINT_COLOUR = "#3a3733", "#d8d3ca", "#2f6f6a"
#: Maximum character width, line height, and distance of a label from its point.
LETTER_WIDTH, LINE_HEIGHT, LABEL_GAP = 6.7, 16.0, 9.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    name: str
    milliseconds: float
    percent: float


def parse_points(curve: Mapping[str, object], metric: str) -> list[Point]:
    return [
        Point(name=name, milliseconds=float(str(values["ms_p50"])), percent=float(str(values[metric])))
        for name, values in curve.items()
        if isinstance(values, dict)
    ]


def draw_svg(curve: Figures, metric: str = "turn_recall@10") -> str:
    curve_points = parse_points(curve, metric)
    scale = _Scale.fit(curve_points)
    lines = [*_draw_grid(scale), *_draw_points(curve_points, scale)]
    axis_end = IMAGE_WIDTH - RIGHT_MARGIN
    return "\n".join(
        [
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {IMAGE_WIDTH} {IMAGE_HEIGHT}" role="img"'
                f' font-family="system-ui, sans-serif" font-size="12" fill="{TEXT_COLOUR}">'
            ),
            f"<title>{escape(metric)} against milliseconds of CPU time</title>",
            f'<rect width="{IMAGE_WIDTH}" height="{IMAGE_HEIGHT}" fill="#fbfaf7"/>',
            *lines,
            f'<text x="{LEFT_MARGIN}" y="18">{escape(metric)}, %</text>',
            f'<text x="{axis_end}" y="{IMAGE_HEIGHT - 12}" text-anchor="end">ms of CPU time, median</text>',
            "</svg>\n",
        ]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scale:
    min_power: float  #: exponent of ten
    max_power: float
    min_percent: float
    max_percent: float

    @classmethod
    def fit(cls, curve_points: Sequence[Point]) -> "_Scale":
        return cls(
            min_power=floor(log10(min(p.milliseconds for p in curve_points))),
            max_power=ceil(log10(max(p.milliseconds for p in curve_points))),
            min_percent=10 * floor(min(p.percent for p in curve_points) / 10),
            max_percent=10 * ceil(max(p.percent for p in curve_points) / 10),
        )

    def x(self, milliseconds: float) -> float:
        share = (log10(milliseconds) - self.min_power) / max(self.max_power - self.min_power, 1)
        return LEFT_MARGIN + share * (IMAGE_WIDTH - LEFT_MARGIN - RIGHT_MARGIN)

    def y(self, percent: float) -> float:
        share = (percent - self.min_percent) / max(self.max_percent - self.min_percent, 1)
        return IMAGE_HEIGHT - BOTTOM_MARGIN - share * (IMAGE_HEIGHT - TOP_MARGIN - BOTTOM_MARGIN)


def _draw_grid(scale: _Scale) -> Iterator[str]:
    for percent in range(int(scale.min_percent), int(scale.max_percent) + 1, 10):
        y = scale.y(percent)
        yield f'<path d="M{LEFT_MARGIN} {y:.1f}H{IMAGE_WIDTH - RIGHT_MARGIN}" stroke="{GRID_COLOUR}"/>'
        yield f'<text x="{LEFT_MARGIN - 8}" y="{y + 4:.1f}" text-anchor="end">{percent}</text>'
    for power in range(int(scale.min_power), int(scale.max_power) + 1):
        x = scale.x(10**power)
        yield f'<path d="M{x:.1f} {TOP_MARGIN}V{IMAGE_HEIGHT - BOTTOM_MARGIN}" stroke="{GRID_COLOUR}"/>'
        yield f'<text x="{x:.1f}" y="{IMAGE_HEIGHT - BOTTOM_MARGIN + 18}" text-anchor="middle">{10**power:g}</text>'


def _draw_points(curve_points: Sequence[Point], scale: _Scale) -> Iterator[str]:
    coordinates = {point: (scale.x(point.milliseconds), scale.y(point.percent)) for point in curve_points}
    occupied_boxes = [_Box(left=x - LABEL_GAP, right=x + LABEL_GAP / 2, y=y) for x, y in coordinates.values()]
    for point, (x, y) in coordinates.items():
        label = next(box for box in _label_boxes(point, x, y) if not any(map(box.overlaps, occupied_boxes)))
        occupied_boxes.append(label)
        if label.y != y:
            line = f"M{x:.1f} {y:.1f}L{label.left:.1f} {label.y:.1f}"
            yield f'<path d="{line}" stroke="{POINT_COLOUR}" stroke-width="0.7"/>'
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{POINT_COLOUR}"/>'
        yield f'<text x="{label.left:.1f}" y="{label.y + 4:.1f}">{escape(point.name)}</text>'


@dataclass(frozen=True, slots=True, kw_only=True)
class _Box:
    """Bounding box of a label or a point."""

    left: float
    right: float
    y: float

    def overlaps(self, other: "_Box") -> bool:
        return self.left < other.right and other.left < self.right and abs(self.y - other.y) < LINE_HEIGHT


def _label_boxes(point: Point, x: float, y: float) -> Iterator[_Box]:
    """Yield possible label positions: right beside the point, then further down or up."""
    for distance in count():
        for line in dict.fromkeys((distance, -distance)):
            left = x + LABEL_GAP
            yield _Box(left=left, right=left + LETTER_WIDTH * len(point.name), y=y + line * LINE_HEIGHT)
