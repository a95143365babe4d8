"""Malformed HTTP requests get a problem+json response, and the connection is closed."""

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from recollect.server.problems import problem_response


class ProblemHttpProtocol(HttpToolsProtocol):
    """Uvicorn's protocol; by itself it answers malformed requests in plain text, before any middleware."""

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's signature
        response = problem_response(
            400,
            "unreadable_request",
            "The request is not valid HTTP, or a header has a forbidden character. Send HTTP/1.1, and put text that is"
            " not ASCII into the body.",
            headers={"Connection": "close"},
        )
        head = b"".join(b"%s: %s\r\n" % each for each in response.raw_headers)
        self.transport.write(b"HTTP/1.1 400 Bad Request\r\n" + head + b"\r\n" + bytes(response.body))
        self.transport.close()
