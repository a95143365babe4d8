"""JSON responses in UTF-8."""

import json
from collections.abc import Mapping

from starlette.responses import JSONResponse


class Utf8JSONResponse(JSONResponse):
    """Replaces lone surrogates, which UTF-8 cannot encode, with question marks."""

    def render(self, content: object) -> bytes:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")


def json_response(
    content: object,
    status: int = 200,
    *,
    headers: Mapping[str, str] | None = None,
    media_type: str | None = None,
) -> Utf8JSONResponse:
    return Utf8JSONResponse(content, status, headers=dict(headers or {}), media_type=media_type)
