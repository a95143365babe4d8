"""Metadata: a JSON object that a client stores with messages and memories, and filters by."""

from collections.abc import Mapping
from typing import TypeAlias

Metadata: TypeAlias = Mapping[str, object]
#: The values that a filter compares with.
FilterValue: TypeAlias = str | int | float | bool
#: Required values by key, as pairs, so that a filter is hashable.
MetadataFilter: TypeAlias = tuple[tuple[str, FilterValue], ...]

NO_METADATA: Metadata = {}


def merge_metadata(first: Metadata, second: Metadata) -> Metadata:
    """Return the keys of both. Different values of one key become a list, so that a filter finds either."""
    if not first or not second:
        return first or second
    merged = dict(first)
    for key, value in second.items():
        values = _as_list(merged[key]) if key in merged else []
        new_values = [each for each in _as_list(value) if each not in values]
        if key not in merged:
            merged[key] = value
        elif new_values:
            merged[key] = [*values, *new_values]
    return merged


def matches_metadata(metadata: Metadata, required: MetadataFilter) -> bool:
    """Return whether each required value is the value of its key, or in the list that is."""
    return all(key in metadata and value in _as_list(metadata[key]) for key, value in required)


def _as_list(value: object) -> list[object]:
    return [*value] if isinstance(value, list | tuple) else [value]
