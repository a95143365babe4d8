"""Render the memory block in one of nine formats."""

import html
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from recollect.context.companion_format import (
    frame_companion_prompt,
    render_companion,
    render_companion_prompt,
)
from recollect.context.labels import AGENT_LABELS, MARKDOWN_LABELS, NOTICES, SMART_LABELS, BlockLabels
from recollect.context.plain_text import strip_hidden, to_single_line
from recollect.context.sections import (
    BlockSection,
    build_sections,
    bullet_section,
    describe_ends,
    format_entry,
    format_note,
    format_with_speaker,
)
from recollect.context.subjects import add_subject
from recollect.domain.candidate import Candidate, Source
from recollect.domain.context import Tiers
from recollect.domain.message import Role
from recollect.domain.policy import ContextPolicy
from recollect.text.tokens import estimate_tokens

RULE_SEPARATOR = "\n\n---\n\n"
#: The largest share of the budget that the notice may take.
MAX_NOTICE_SHARE = 0.25
HISTORY_SOURCES = (Source.MESSAGE, Source.CHUNK, Source.SUMMARY)

LayoutFunction = Callable[[Tiers, str], tuple[BlockSection, ...]]
FrameFunction = Callable[[str, "BlockRenderer"], str]


def outdated_last(tiers: Tiers) -> list[Candidate]:
    """Return the recalled passages, best first, except that what is no longer true comes after what is."""
    return sorted((r.candidate for r in tiers.candidates), key=lambda c: c.outdated)


def render_notes(tiers: Tiers, locale: str) -> tuple[BlockSection, ...]:
    labels = MARKDOWN_LABELS[locale]
    candidates = outdated_last(tiers)
    sections = [
        bullet_section(
            heading,
            "- ",
            (format_note(c, labels, locale) for c in candidates if c.is_standing == is_standing),
        )
        for heading, is_standing in ((labels.standing, True), (labels.facts, False))
    ]
    return build_sections(sections, tiers, labels)


def render_facts(tiers: Tiers, locale: str) -> tuple[BlockSection, ...]:
    labels = MARKDOWN_LABELS[locale]
    lines = (format_with_speaker(r.candidate, labels, with_date=True) for r in tiers.candidates)
    return build_sections([bullet_section(labels.facts, "- ", lines)], tiers, labels)


def render_smart(tiers: Tiers, locale: str) -> tuple[BlockSection, ...]:
    labels = SMART_LABELS[locale]
    lines = (_importance_line(r.candidate, labels) for r in tiers.candidates)
    return build_sections([bullet_section(labels.facts, "- ", lines)], tiers, labels)


def render_agent(tiers: Tiers, locale: str) -> tuple[BlockSection, ...]:
    labels = AGENT_LABELS[locale]
    candidates = [r.candidate for r in tiers.candidates]
    fact_lines = (format_entry(c) for c in candidates if c.source not in HISTORY_SOURCES)
    history_lines = (
        format_with_speaker(c, labels, with_date=False) for c in candidates if c.source in HISTORY_SOURCES
    )
    sections = [
        bullet_section(labels.facts, "• ", fact_lines),
        bullet_section(labels.history, "• ", history_lines),
    ]
    return build_sections(sections, tiers, labels, "• ")


def render_dev(tiers: Tiers, locale: str) -> tuple[BlockSection, ...]:
    contents = tuple(filter(None, (strip_hidden(r.candidate.text) for r in tiers.candidates)))
    return build_sections(
        [BlockSection(heading="", entries=contents, separator=RULE_SEPARATOR)], tiers, MARKDOWN_LABELS[locale]
    )


def render_xml(tiers: Tiers, locale: str) -> tuple[BlockSection, ...]:
    entries = tuple(filter(None, _xml_elements(tiers, locale)))
    return (BlockSection(heading="", entries=entries),) if entries else ()


def with_notice(body: str, renderer: "BlockRenderer") -> str:
    return f"{renderer.notice}\n\n{body}" if renderer.notice else body


def frame_memory_tag(body: str, renderer: "BlockRenderer") -> str:
    lines = (f'<memory nonce="{html.escape(to_single_line(renderer.nonce))}">', renderer.notice, body)
    return "\n".join([*filter(None, lines), "</memory>"])


def frame_system_message(body: str, renderer: "BlockRenderer") -> str:
    return json.dumps([{"role": "system", "content": with_notice(body, renderer)}], ensure_ascii=False)


def frame_prompt(body: str, renderer: "BlockRenderer") -> str:
    return frame_companion_prompt(body, persona=renderer.persona, locale=renderer.locale)


def full_text(candidate: Candidate) -> str:
    return candidate.text


def summary_or_text(candidate: Candidate) -> str:
    """Return the summary of a message, or its text if it has none."""
    return to_single_line(candidate.summary or "") or candidate.text


@dataclass(frozen=True, slots=True)
class BlockFormat:
    layout: LayoutFunction
    frame: FrameFunction = with_notice
    separator: str = "\n\n"
    text_of: Callable[[Candidate], str] = full_text  #: the text of a candidate that this format shows
    renders_empty: bool = False  #: the frame is rendered even without content


BLOCK_FORMATS: Mapping[str, BlockFormat] = {
    "notes": BlockFormat(render_notes),
    "facts": BlockFormat(render_facts),
    "smart": BlockFormat(render_smart, text_of=summary_or_text),
    "companion": BlockFormat(render_companion),
    "companion_prompt": BlockFormat(render_companion_prompt, frame=frame_prompt, renders_empty=True),
    "dev": BlockFormat(render_dev, separator=RULE_SEPARATOR),
    "agent": BlockFormat(render_agent),
    "xml": BlockFormat(render_xml, frame=frame_memory_tag, separator="\n"),
    "messages": BlockFormat(render_notes, frame=frame_system_message),
}


@dataclass(frozen=True, slots=True)
class BlockRenderer:
    """A format in one language, for one request."""

    format: BlockFormat
    locale: str
    nonce: str
    persona: str
    notice: str = ""  #: first sentence of the block, which says that it is data
    frame_tokens: int = 0  #: tokens of the frame around an empty body

    def sections(self, tiers: Tiers) -> tuple[BlockSection, ...]:
        return self.format.layout(tiers, self.locale)

    def render(self, tiers: Tiers) -> str:
        """Return the text of the block; empty if there is nothing to show."""
        body = self.format.separator.join(section.text for section in self.sections(tiers))
        return self.format.frame(body, self) if body or self.format.renders_empty else ""

    def count_added_tokens(self, piece: str) -> int:
        """Return the tokens that a piece of the body adds to the block."""
        return estimate_tokens(self.format.frame(piece, self)) - self.frame_tokens

    def heading_tokens(self, heading: str) -> int:
        return self.count_added_tokens(f"{self.format.separator}{heading}\n") if heading else 0


def create_renderer(policy: ContextPolicy, nonce: str) -> BlockRenderer:
    renderer = BlockRenderer(
        BLOCK_FORMATS[policy.format], policy.locale, nonce, policy.persona, _notice(policy)
    )
    return replace(renderer, frame_tokens=estimate_tokens(renderer.format.frame("", renderer)))


def _notice(policy: ContextPolicy) -> str:
    """Return the sentence that begins the block; none in a budget so small that it would displace the memories."""
    notice = NOTICES[policy.locale]
    affordable = estimate_tokens(notice) <= policy.budget * MAX_NOTICE_SHARE
    return notice if policy.notice and affordable else ""


def _importance_line(candidate: Candidate, labels: BlockLabels) -> str:
    text = to_single_line(candidate.summary or "") or format_entry(candidate)
    importance = candidate.importance
    if importance is None and candidate.source is Source.MEMORY:
        importance = round(100 * candidate.weight)
    return text if importance is None or not text else f"[{labels.importance} {importance}] {text}"


def _xml_elements(tiers: Tiers, locale: str) -> Iterator[str]:
    labels = MARKDOWN_LABELS[locale]
    for file in tiers.context_files:
        yield _xml_element("context", strip_hidden(file.content), name=to_single_line(file.name))
    yield _xml_element("profile", strip_hidden(tiers.profile or ""))
    for message in tiers.earlier_messages:
        yield _xml_element(
            "earlier", to_single_line(message.summary or ""), date=message.created_at.date().isoformat()
        )
    for candidate in outdated_last(tiers):
        text = strip_hidden(candidate.text)
        if candidate.source is Source.MEMORY and text and candidate.role is not Role.ASSISTANT:
            text = add_subject(text, locale=locale)
        yield _xml_element(
            "item",
            text,
            kind=candidate.kind or candidate.source,
            role=candidate.role if candidate.source in HISTORY_SOURCES else None,
            date=candidate.created_at.date().isoformat(),
            ended=describe_ends(candidate, labels) or None,
            applies="yes" if candidate.is_standing else None,
        )
    yield _xml_element("summary", to_single_line(tiers.working_summary or ""))
    for message in tiers.recent_messages:
        yield _xml_element("message", strip_hidden(message.content), role=message.role)


def _xml_element(tag: str, text: str, /, **attributes: str | None) -> str:
    if not text:
        return ""
    attribute_text = "".join(
        f' {key}="{html.escape(value)}"' for key, value in attributes.items() if value is not None
    )
    return f"<{tag}{attribute_text}>{html.escape(text, quote=False)}</{tag}>"
