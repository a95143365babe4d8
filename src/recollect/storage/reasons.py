"""The stored form of typed reasons: compact JSON, without text."""

import json

from recollect.domain.reason import Reason


def encode_reason(reason: Reason) -> str:
    return json.dumps(reason.to_json(), ensure_ascii=False, separators=(",", ":"))


def decode_reason(text: str) -> Reason:
    return Reason.from_json(json.loads(text))


def encode_reason_or_none(reason: Reason | None) -> str | None:
    return None if reason is None else encode_reason(reason)


def decode_reason_or_none(text: str | None) -> Reason | None:
    return None if text is None else decode_reason(text)
