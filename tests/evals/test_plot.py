from xml.etree import ElementTree as ET

from evals.measures import Figures
from evals.plot import drawing

CURVE: Figures = {
    "quick <one>": {"turn_recall@10": 61.0, "ms_p50": 4.0},
    "slow": {"turn_recall@10": 83.0, "ms_p50": 180.0},
}


def test_every_way_is_a_named_point_further_right_if_slower_and_higher_if_better() -> None:
    svg = ET.fromstring(drawing(CURVE))
    space = "{http://www.w3.org/2000/svg}"
    quick, slow = svg.findall(f"{space}circle")
    names = {text.text for text in svg.findall(f"{space}text")}

    assert {"quick <one>", "slow"} <= names
    assert float(quick.attrib["cx"]) < float(slow.attrib["cx"])
    assert float(quick.attrib["cy"]) > float(slow.attrib["cy"])


def test_one_point_alone_can_be_drawn() -> None:
    assert "circle" in drawing({"only": {"turn_recall@10": 50.0, "ms_p50": 10.0}})
