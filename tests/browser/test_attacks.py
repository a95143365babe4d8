"""
A page of another site tries to read and to change the memory of whoever visits it. Every attack is made twice: on a
server that guards nothing, where it works, and on ours, where its owner is logged in.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote

import pytest
from playwright.sync_api import Page, Route
from tests.browser.attack_sites import BLANK, DELETED, UnprotectedServer, attacker, unprotected_server
from tests.browser.conftest import EVIL
from tests.server.live_server import LiveServer
from tests.server.proxy.live_proxy import wait_until

SECRET = "My locker opens with 4711."
PLANTED = "The user trusts evil.example."
#: Sites from which the attacks are made: somebody else's, and another program's on this very machine, to which a
#: browser sends our cookies.
SITES = (EVIL, "127.0.0.1")
COUNTED = re.compile(r'recollect_http_requests_total\{method="\w+",status="(\d+)"\} (\d+)')

#: Each is JavaScript with `victim` and `planted` at hand; those that read return what they got.
READS = {
    "fetch": "await (await fetch(`${victim}/api/memory`)).text()",
    "fetch with cookies": "await (await fetch(`${victim}/api/memory`, {credentials: 'include'})).text()",
    "fetch of a pack": "await (await fetch(`${victim}/api/export`, {credentials: 'include'})).text()",
}
#: What these get a page cannot see, but that they get it is bad enough.
BLIND_READS = {
    "fetch without CORS": "await fetch(`${victim}/api/memory`, {mode: 'no-cors', credentials: 'include'})",
    "image": "await loaded('img', `${victim}/api/memory`)",
    "script": "await loaded('script', `${victim}/api/memory`)",
    "frame": "await loaded('iframe', `${victim}/api/memory`)",
    "style": "await loaded('link', `${victim}/api/memory`)",
}
WRITES = {
    "form": "await submitted(`${victim}/api/memory`, 'application/x-www-form-urlencoded')",
    "form in plain text": "await submitted(`${victim}/api/memory`, 'text/plain')",
    "form with a file": "await submitted(`${victim}/api/memory`, 'multipart/form-data')",
    "simple request": "await sent({mode: 'no-cors', headers: {'Content-Type': 'text/plain'}})",
    "simple request with cookies": (
        "await sent({mode: 'no-cors', credentials: 'include', headers: {'Content-Type': 'text/plain'}})"
    ),
    "request without a type": "await sent({mode: 'no-cors', credentials: 'include', body: new Blob([body])})",
    "JSON": "await sent({credentials: 'include', headers: {'Content-Type': 'application/json'}})",
    "beacon": "navigator.sendBeacon(`${victim}/api/memory`, body)",
    "nobody's page": "await sandboxed(`${victim}/api/memory`)",
    "deleting": "await fetch(`${victim}/api/memory?confirm=true`, {method: 'DELETE', credentials: 'include'})",
}
TOOLS = """
const body = JSON.stringify({content: planted});
const sent = (options) => fetch(`${victim}/api/memory`, {method: 'POST', body, ...options});
const settled = (element, put) => new Promise((done) => {
    element.onload = element.onerror = () => done('');
    put();
});
const loaded = (name, address) => {
    const element = document.createElement(name);
    element[name === 'link' ? 'href' : 'src'] = address;
    element.rel = 'stylesheet';
    return settled(element, () => document.body.append(element));
};
const submitted = (address, kind) => {
    const frame = document.createElement('iframe');
    frame.name = `answer-${document.forms.length}`;
    const form = document.createElement('form');
    Object.assign(form, {action: address, method: 'POST', enctype: kind, target: frame.name});
    const field = document.createElement('input');
    // In plain text this is a JSON object.
    Object.assign(field, {name: `{"content": "${planted}", "rest": "`, value: '"}'});
    form.append(field);
    document.body.append(frame, form);
    return settled(frame, () => form.submit());
};
const sandboxed = (address) => new Promise((done) => {
    addEventListener('message', () => done(''), {once: true});
    const frame = document.createElement('iframe');
    frame.sandbox = 'allow-scripts';
    frame.srcdoc = `<script>
        fetch('${address}', {method: 'POST', mode: 'no-cors', body: '${body}'})
            .catch(() => '').then(() => parent.postMessage('', '*'))
    </script>`;
    document.body.append(frame);
});
"""


@pytest.fixture(params=SITES)
def site(request: pytest.FixtureRequest) -> Iterator[str]:
    with attacker() as port:
        yield f"http://{request.param}:{port}/"


@pytest.fixture
def unprotected() -> Iterator[UnprotectedServer]:
    with unprotected_server(SECRET) as running:
        yield running


class Answers(NamedTuple):
    heeded: int
    refused: int


@dataclass(slots=True)
class ProtectedServer:
    """A Recollect server with a signed-in owner, and its responses to other sites."""

    server: LiveServer
    looks: int = 0

    def answers(self) -> Answers:
        with self.server.client() as client:
            found = COUNTED.findall(client.get("/metrics").text)
        numbers = [(int(status), int(number)) for status, number in found]
        heeded = sum(number for status, number in numbers if status < 400) - self.looks
        self.looks += 1
        return Answers(heeded, sum(number for status, number in numbers if status >= 400))

    def memories(self) -> list[str]:
        with self.server.client() as client:
            return [each["memory"] for each in client.get("/api/memory").json()["results"]]


@pytest.fixture
def protected_server(server: LiveServer, page: Page, login_link: str) -> ProtectedServer:
    # The app that a login leads to would ask for things of its own, and its requests would be counted.
    page.context.request.get(login_link, max_redirects=0)
    assert [cookie["sameSite"] for cookie in page.context.cookies(server.url)] == ["Strict"]
    with server.client() as client:
        client.post("/api/memory", json={"content": SECRET})
    return ProtectedServer(server)


def attack(page: Page, victim: str, script: str) -> str:
    """Run a script in the attacker's page and return what it read."""
    steps = f"const value = {script}; return typeof value === 'string' ? value : '';"
    whole = f"async ({{victim, planted}}) => {{ {TOOLS} try {{ {steps} }} catch {{ return ''; }} }}"
    got: str = page.evaluate(whole, {"victim": victim, "planted": PLANTED})
    return got


def test_memories_cannot_be_read_from_another_site(
    page: Page, site: str, unprotected: UnprotectedServer, protected_server: ProtectedServer
) -> None:
    page.goto(site)
    stolen = {how: SECRET in attack(page, unprotected.url, script) for how, script in READS.items()}
    before = protected_server.answers()
    got = {how: attack(page, protected_server.server.url, script) for how, script in READS.items()}
    after = protected_server.answers()

    assert stolen == dict.fromkeys(READS, True)
    assert got == dict.fromkeys(READS, "")
    assert after == Answers(before.heeded, before.refused + len(READS))


def test_memories_are_not_sent_to_another_site(
    page: Page, site: str, unprotected: UnprotectedServer, protected_server: ProtectedServer
) -> None:
    page.goto(site)
    for script in BLIND_READS.values():
        attack(page, unprotected.url, script)
    before = protected_server.answers()
    for script in BLIND_READS.values():
        attack(page, protected_server.server.url, script)
    after = protected_server.answers()

    assert unprotected.reads == len(BLIND_READS)
    assert after == Answers(before.heeded, before.refused + len(BLIND_READS))


def test_memories_cannot_be_changed_from_another_site(
    page: Page, site: str, unprotected: UnprotectedServer, protected_server: ProtectedServer
) -> None:
    page.goto(site)
    changed = {how: is_changed_by(page, unprotected, script) for how, script in WRITES.items()}
    before = protected_server.answers()
    for script in WRITES.values():
        attack(page, protected_server.server.url, script)
    # A beacon says nothing of its arrival.
    wait_until(lambda: protected_server.answers().refused >= before.refused + len(WRITES))

    assert changed == dict.fromkeys(WRITES, True)
    assert protected_server.answers().heeded == before.heeded
    assert protected_server.memories() == [SECRET]


def test_dns_rebinding_gives_no_access(
    page: Page, unprotected: UnprotectedServer, protected_server: ProtectedServer
) -> None:
    """DNS rebinding: the attacker's host name resolves to our address after the page was loaded."""
    scripts = {**READS, **WRITES}
    victim = rebind_dns(page, unprotected.port)
    stolen = {how: SECRET in attack(page, victim, script) for how, script in READS.items()}
    changed = {how: is_changed_by(page, unprotected, script, victim) for how, script in WRITES.items()}
    before = protected_server.answers()
    victim = rebind_dns(page, int(protected_server.server.url.rpartition(":")[2]))
    got = {how: attack(page, victim, script) for how, script in scripts.items()}
    wait_until(lambda: protected_server.answers().refused >= before.refused + len(scripts))

    assert stolen == dict.fromkeys(READS, True)
    assert changed == dict.fromkeys(WRITES, True)
    assert [how for how, text in got.items() if SECRET in text] == []
    assert protected_server.memories() == [SECRET]


def is_changed_by(page: Page, unprotected: UnprotectedServer, script: str, victim: str | None = None) -> bool:
    """Whether an attack changes the unprotected server."""
    before = len(unprotected.changed)
    attack(page, victim or unprotected.url, script)
    wait_until(lambda: len(unprotected.changed) > before)
    return unprotected.changed[-1] == DELETED or "evil.example" in unquote(unprotected.changed[-1])


def rebind_dns(page: Page, port: int) -> str:
    """Serve the document from the attacker and all further requests from the victim."""
    address = f"http://{EVIL}:{port}"

    def from_the_attacker(route: Route) -> None:
        route.fulfill(body=BLANK, content_type="text/html")

    page.route(f"{address}/attack", from_the_attacker)
    page.goto(f"{address}/attack")
    page.unroute(f"{address}/attack")
    return address
