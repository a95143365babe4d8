import re
from xml.etree import ElementTree as ET

from evals.measures import Figures
from evals.plot import draw_svg

CURVE_FIGURES: Figures = {
    "quick <one>": {"turn_recall@10": 61.0, "ms_p50": 4.0},
    "slow": {"turn_recall@10": 83.0, "ms_p50": 180.0},
}


def test_each_configuration_is_a_labelled_point_by_latency_and_recall() -> None:
    svg = ET.fromstring(draw_svg(CURVE_FIGURES))
    space = "{http://www.w3.org/2000/svg}"
    quick, slow = svg.findall(f"{space}circle")
    names = {text.text for text in svg.findall(f"{space}text")}

    assert {"quick <one>", "slow"} <= names
    assert float(quick.attrib["cx"]) < float(slow.attrib["cx"])
    assert float(quick.attrib["cy"]) > float(slow.attrib["cy"])


def test_a_single_point_can_be_drawn() -> None:
    assert "circle" in draw_svg({"only": {"turn_recall@10": 50.0, "ms_p50": 10.0}})


def test_labels_overlap_neither_each_other_nor_points() -> None:
    crowd: Figures = {
        f"way number {place}": {"ms_p50": 10 + place, "turn_recall@10": 80.0} for place in range(8)
    }
    drawn = draw_svg(crowd)
    names = [(float(x), float(y)) for x, y in re.findall(r'<text x="([\d.]+)" y="([\d.]+)">way', drawn)]
    dots = [(float(x), float(y)) for x, y in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', drawn)]

    assert len(names) == len(dots) == len(crowd)
    assert all(abs(y - other) >= 12 or abs(x - at) >= 72 for x, y in names for at, other in names if x != at)
    assert all(not (x <= at <= x + 60 and abs(y - 4 - height) < 10) for x, y in names for at, height in dots)
