"""What is no HTTP is answered like any other failure, and the connection ends."""

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from recollect.server.problems import problem_response


class ProblemHttpProtocol(HttpToolsProtocol):
    """Uvicorn's own, which would answer such a request in plain text, before anything of ours has seen it."""

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's own words
        response = problem_response(
            400,
            "unreadable_request",
            "This is no HTTP request, or a header has a character that none may have. Send it as HTTP/1.1, and"
            " what is not plain ASCII in the body.",
            headers={"Connection": "close"},
        )
        head = b"".join(b"%s: %s\r\n" % each for each in response.raw_headers)
        self.transport.write(b"HTTP/1.1 400 Bad Request\r\n" + head + b"\r\n" + bytes(response.body))
        self.transport.close()
