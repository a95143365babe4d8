"""Write down what is shown, in one of eight formats."""

import html
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from recollect.context.companion_format import companion, in_person, prompt_sections
from recollect.context.labels import AGENT, MARKDOWN, NOTICES, SMART, Words
from recollect.context.plain_text import folded, visible
from recollect.context.sections import Section, around, bullets, spoken, told
from recollect.domain.candidate import Candidate, Source
from recollect.domain.context import Tiers
from recollect.domain.policy import Assemble
from recollect.text.tokens import estimate

RULE = "\n\n---\n\n"
#: The largest share of the budget that the notice may take.
MAX_NOTICE_SHARE = 0.25
HISTORY = (Source.MESSAGE, Source.CHUNK, Source.SUMMARY)

Layout = Callable[[Tiers, str], tuple[Section, ...]]
Frame = Callable[[str, "Form"], str]


def facts(shown: Tiers, locale: str) -> tuple[Section, ...]:
    words = MARKDOWN[locale]
    lines = (spoken(r.candidate, words, dated=True) for r in shown.recalled)
    return around([bullets(words.facts, "- ", lines)], shown, words)


def smart(shown: Tiers, locale: str) -> tuple[Section, ...]:
    words = SMART[locale]
    lines = (_weighed(r.candidate, words) for r in shown.recalled)
    return around([bullets(words.facts, "- ", lines)], shown, words)


def agent(shown: Tiers, locale: str) -> tuple[Section, ...]:
    words = AGENT[locale]
    candidates = [r.candidate for r in shown.recalled]
    known = (told(c) for c in candidates if c.source not in HISTORY)
    said = (spoken(c, words, dated=False) for c in candidates if c.source in HISTORY)
    recalled = [bullets(words.facts, "• ", known), bullets(words.history, "• ", said)]
    return around(recalled, shown, words, "• ")


def dev(shown: Tiers, locale: str) -> tuple[Section, ...]:
    contents = tuple(filter(None, (visible(r.candidate.text) for r in shown.recalled)))
    return around([Section(heading="", entries=contents, gap=RULE)], shown, MARKDOWN[locale])


def xml(shown: Tiers, _: str) -> tuple[Section, ...]:
    entries = tuple(filter(None, _elements(shown)))
    return (Section(heading="", entries=entries),) if entries else ()


def with_notice(body: str, form: "Form") -> str:
    return f"{form.notice}\n\n{body}" if form.notice else body


def fenced(body: str, form: "Form") -> str:
    lines = (f'<memory nonce="{html.escape(folded(form.nonce))}">', form.notice, body)
    return "\n".join([*filter(None, lines), "</memory>"])


def as_system_message(body: str, form: "Form") -> str:
    return json.dumps([{"role": "system", "content": with_notice(body, form)}], ensure_ascii=False)


def whole_prompt(body: str, form: "Form") -> str:
    return in_person(body, persona=form.persona, locale=form.locale)


def whole(candidate: Candidate) -> str:
    return candidate.text


def gist(candidate: Candidate) -> str:
    """A judged message is known by its summary."""
    return folded(candidate.summary or "") or candidate.text


@dataclass(frozen=True, slots=True)
class Format:
    layout: Layout
    frame: Frame = with_notice
    between: str = "\n\n"
    says: Callable[[Candidate], str] = whole  #: the words of a recollection that are shown
    stands_alone: bool = False  #: the frame is worth showing around nothing


FORMATS: Mapping[str, Format] = {
    "facts": Format(facts),
    "smart": Format(smart, says=gist),
    "companion": Format(companion),
    "companion_prompt": Format(prompt_sections, frame=whole_prompt, stands_alone=True),
    "dev": Format(dev, between=RULE),
    "agent": Format(agent),
    "xml": Format(xml, frame=fenced, between="\n"),
    "messages": Format(facts, frame=as_system_message),
}


@dataclass(frozen=True, slots=True)
class Form:
    """A format in one language, for one request."""

    format: Format
    locale: str
    nonce: str
    persona: str
    notice: str = ""  #: the first sentence of the block, which says what it is
    frame_tokens: int = 0  #: what surrounds the body

    def sections(self, shown: Tiers) -> tuple[Section, ...]:
        return self.format.layout(shown, self.locale)

    def render(self, shown: Tiers) -> str:
        """The block's text; empty when there is nothing to show."""
        body = self.format.between.join(section.text for section in self.sections(shown))
        return self.format.frame(body, self) if body or self.format.stands_alone else ""

    def measure(self, piece: str) -> int:
        """What a piece of the body adds to the tokens of the block."""
        return estimate(self.format.frame(piece, self)) - self.frame_tokens

    def heading_tokens(self, heading: str) -> int:
        return self.measure(f"{self.format.between}{heading}\n") if heading else 0


def form(policy: Assemble, nonce: str) -> Form:
    bare = Form(FORMATS[policy.format], policy.locale, nonce, policy.persona, _notice(policy))
    return replace(bare, frame_tokens=estimate(bare.format.frame("", bare)))


def _notice(policy: Assemble) -> str:
    """Return the sentence that begins the block; none in a budget so small that it would displace the memories."""
    notice = NOTICES[policy.locale]
    affordable = estimate(notice) <= policy.budget * MAX_NOTICE_SHARE
    return notice if policy.notice and affordable else ""


def _weighed(candidate: Candidate, words: Words) -> str:
    text = folded(candidate.summary or "") or told(candidate)
    importance = candidate.importance
    if importance is None and candidate.source is Source.MEMORY:
        importance = round(100 * candidate.weight)
    return text if importance is None or not text else f"[{words.importance} {importance}] {text}"


def _elements(shown: Tiers) -> Iterator[str]:
    for file in shown.contexts:
        yield _element("context", visible(file.content), name=folded(file.name))
    yield _element("profile", visible(shown.profile or ""))
    for message in shown.local:
        yield _element("earlier", folded(message.summary or ""), date=message.created_at.date().isoformat())
    for recollection in shown.recalled:
        candidate = recollection.candidate
        yield _element(
            "item",
            visible(candidate.text),
            kind=candidate.kind or candidate.source,
            role=candidate.role if candidate.source in HISTORY else None,
            date=candidate.created_at.date().isoformat(),
        )
    yield _element("summary", folded(shown.working or ""))
    for message in shown.buffer:
        yield _element("message", visible(message.content), role=message.role)


def _element(tag: str, text: str, /, **attributes: str | None) -> str:
    if not text:
        return ""
    given = "".join(
        f' {key}="{html.escape(value)}"' for key, value in attributes.items() if value is not None
    )
    return f"<{tag}{given}>{html.escape(text, quote=False)}</{tag}>"
