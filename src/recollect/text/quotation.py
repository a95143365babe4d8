"""
Find the parts of a message that its author quoted or pasted rather than wrote.

Detectors run in a fixed order, each on the text without what the earlier ones found, so that marks inside a code
fence
open nothing: fences, triple quotes, XML and HTML blocks, `>` lines, mails, announced texts ("translate this: …"),
indented code, and quotations of more than a few words. Every detector is one pass; the whole is linear in the text.

If the end of a quotation is uncertain, the longer span is chosen. An unclosed fence or triple quote extends to the
end
of the message, as in Markdown: a truncated paste is still a paste. Triple quotes and tags extend to their last
closing
mark, since a pasted page may contain the mark itself. A mail or an announced text has no closing mark and extends to
the end. The cost of a span that is too long is a missed fact, which can be stated again; that of one too short is a
false memory.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

#: A quotation of at most this many words may be a name or a title in the author's own sentence.
MAX_TITLE_WORDS = 4
#: How far before a colon an announcement may begin, in characters.
MAX_ANNOUNCEMENT_CHARS = 160

_FENCE = re.compile(r"`{3,}+|^[ \t]{0,3}+~{3,}+", re.MULTILINE)
_TRIPLE_QUOTE = re.compile(r"\"{3,}+|(?<!\w)'{3,}+|'{3,}+(?!\w)|“{3,}+|”{3,}+")
_TAG = re.compile(
    r"<(?P<close>/?+)(?P<name>[a-z][\w.:-]*+)(?:\s[^<>]*+)?+(?P<empty>(?<=/))?+>", re.IGNORECASE
)
#: Emphasis in the author's own sentence.
_INLINE_TAGS = frozenset("b i u s em strong small mark sub sup span a br kbd font ins del".split())
_DOCUMENT_TAGS = frozenset(
    "document documents doc article page webpage html body text content email mail letter quote blockquote context "
    "source data file transcript input excerpt passage post paste tool_result results documento artigo texto "
    "pagina".split()
)
_QUOTED_LINE = re.compile(r"^[ \t]*+>[^\n]*+\n?", re.MULTILINE)
_MAIL_HEADER = re.compile(
    r"[ \t*_]*+(?P<name>from|to|cc|bcc|subject|date|sent|reply-to|de|para|assunto|data|enviad[oa](?: em)?|cco)[*_]*+:"
    r"[*_]*+[ \t]++\S[^\n]*+",
    re.IGNORECASE,
)
_SUBJECT = re.compile(r"\b(?:subject|assunto)[*_]*+:", re.IGNORECASE)
_SENDERS = frozenset({"from", "de"})
_FORWARDED = re.compile(
    r"^[ \t]*+(?:[-_]{2,}+[ \t]*+(?:original message|forwarded message|mensagem original|mensagem encaminhada)\b"
    r"|begin forwarded message:|início da mensagem encaminhada:)",
    re.IGNORECASE | re.MULTILINE,
)
_REPLY = re.compile(r"[ \t]*+(?:on|em|no dia)\b", re.IGNORECASE)
_REPLY_ENDS = ("wrote:", "escreveu:")
_INDENTED = re.compile(r"(?: {4}|\t)[ \t]*+\S")
_ANNOUNCING_COLON = re.compile(r":(?=[\s\"“«„\0]|\Z)")
_CLAUSE_BREAK = re.compile(r"[.!?;:\n](?=\s)|\n")
_WORD = re.compile(r"[^\W\d_]+")
_TEXT_VERBS = frozenset(
    "summarize summarise translate proofread rewrite rephrase paraphrase correct edit analyze analyse review explain "
    "improve shorten simplify classify extract resuma resume resumir traduza traduz traduzir corrija corrigir revise "
    "revisar reescreva reescrever parafraseie analise analisar explique explicar melhore simplifique".split()
)
_BEFORE_VERB = frozenset(
    "please pls can could would you u help me now then first and kindly to por favor pode poderia "
    "você voce vc agora e então preciso que quero".split()
)
_WISHES = frozenset("want need d would".split())
_PRESENTING = frozenset(
    "here below following follows attached pasted segue seguem aqui abaixo eis seguinte anexo colado colei".split()
)
_TEXT_NOUNS = frozenset(
    "article text page webpage email mail letter message messages post story document transcript log logs essay "
    "paragraph excerpt passage code review bio biography report chat conversation quote chapter poem lyrics snippet "
    "output content paper abstract readme documentation changelog news newsletter texto artigo página "
    "pagina carta mensagem mensagens documento "
    "transcrição trecho parágrafo matéria notícia conteúdo código resenha biografia relatório conversa citação "
    "capítulo poema letra".split()
)
_QUOTES = {"“": "”", "«": "»", "„": "“”"}
_OPENS_AFTER = " \t\n\r([{:,;—–-"
_SPACE = re.compile(r"\s*+")


@dataclass(frozen=True, slots=True, order=True)
class QuotedSpan:
    """A quoted part of a text, in characters. An inline span is inside a sentence, between quotation marks."""

    start: int
    end: int
    inline: bool = False


def quoted_spans(text: str) -> tuple[QuotedSpan, ...]:
    """Return the quoted or pasted spans: sorted, disjoint, within the text."""
    spans: list[QuotedSpan] = []
    rest = text
    for detect in _DETECTORS:
        if detected := [span for span in detect(rest) if span.start < span.end]:
            spans = _merged([*spans, *detected])
            rest = _masked(rest, detected)
    announced = _merged([*spans, *_announced_texts(rest, spans)])
    rest = _masked(rest, announced)
    return tuple(_merged([*announced, *_indented_code(rest), *_quotations(rest)]))


def blank_spans(text: str, spans: Iterable[QuotedSpan]) -> str:
    """Return the text with quoted blocks replaced by line breaks and inline quotations by spaces, same length."""
    parts: list[str] = []
    end = 0
    for span in spans:
        parts += (text[end : span.start], (" " if span.inline else "\n") * (span.end - span.start))
        end = span.end
    return "".join([*parts, text[end:]])


def _merged(spans: Iterable[QuotedSpan]) -> list[QuotedSpan]:
    merged: list[QuotedSpan] = []
    for span in sorted(spans):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = QuotedSpan(last.start, max(last.end, span.end), last.inline and span.inline)
        elif span.start < span.end:
            merged.append(span)
    return merged


def _masked(text: str, spans: Iterable[QuotedSpan]) -> str:
    """Return the text with NUL, which no detector matches, in place of the spans; line breaks stay."""
    parts: list[str] = []
    end = 0
    for span in _merged(spans):
        hidden = "\n".join("\0" * len(line) for line in text[span.start : span.end].split("\n"))
        parts += (text[end : span.start], hidden)
        end = span.end
    return "".join([*parts, text[end:]])


def _fences(text: str) -> Iterator[QuotedSpan]:
    at = 0
    while opening := _FENCE.search(text, at):
        mark = opening.group().lstrip()
        start = r"^[ \t]{0,3}+" if mark[0] == "~" else ""
        closing = re.compile(rf"{start}{mark[0]}{{{len(mark)},}}+", re.MULTILINE).search(text, opening.end())
        at = closing.end() if closing else len(text)
        yield QuotedSpan(opening.start(), at)


def _triple_quotes(text: str) -> Iterator[QuotedSpan]:
    marks: dict[str, list[re.Match[str]]] = {}
    for match in _TRIPLE_QUOTE.finditer(text):
        marks.setdefault("“" if match.group()[0] in "“”" else match.group()[0], []).append(match)
    for mark_group in marks.values():
        closed = len(mark_group) % 2 == 0
        yield QuotedSpan(mark_group[0].start(), mark_group[-1].end() if closed else len(text))


def _tagged_blocks(text: str) -> Iterator[QuotedSpan]:
    tags = [match for match in _TAG.finditer(text) if match["name"].lower() not in _INLINE_TAGS]
    last_closing = {match["name"].lower(): match.end() for match in tags if match["close"]}
    end = 0
    for match in tags:
        name = match["name"].lower()
        if match.start() < end or match["close"] or match["empty"] is not None:
            continue
        if last_closing.get(name, 0) > match.start():
            end = last_closing[name]
        elif name in _DOCUMENT_TAGS and _is_alone_on_line(text, match):
            end = len(text)
        else:
            continue
        yield QuotedSpan(match.start(), end)


def _is_alone_on_line(text: str, match: re.Match[str]) -> bool:
    before = text[max(match.start() - 80, 0) : match.start()].rpartition("\n")[2]
    after = text[match.end() : match.end() + 80].partition("\n")[0]
    return not before.strip() and not after.strip()


def _quoted_lines(text: str) -> Iterator[QuotedSpan]:
    return (QuotedSpan(*match.span()) for match in _QUOTED_LINE.finditer(text))


def _mails(text: str) -> Iterator[QuotedSpan]:
    starts = [match.start() for match in _FORWARDED.finditer(text)]
    if (headers := _mail_headers(text)) is not None:
        starts.append(headers)
    for reply in _reply_lines(text):
        following = _SPACE.match(text, reply.end)
        # If the lines below are masked (quoted with ">"), the text after them is the author's own.
        if following and text[following.end() : following.end() + 1] == "\0":
            yield reply
        else:
            starts.append(reply.start)
    if starts:
        yield QuotedSpan(min(starts), len(text))


def _reply_lines(text: str) -> Iterator[QuotedSpan]:
    """Find lines like "On Monday, Bob wrote:", which mail programs may break into two."""
    at = 0
    before: int | None = None
    for line in text.split("\n"):
        begins = at if _REPLY.match(line) else None
        start = before if begins is None else begins
        if start is not None and line.rstrip().endswith(_REPLY_ENDS):
            yield QuotedSpan(start, at + len(line))
        before = begins
        at += len(line) + 1


def _mail_headers(text: str) -> int | None:
    """Return the start of the first mail header: a sender next to a subject, a date or addresses."""
    begin = at = 0
    names: set[str] = set()
    has_address = False
    for line in text.split("\n"):
        header = _MAIL_HEADER.match(line)
        if header:
            begin = begin if names else at
            names.add(header["name"].lower())
            has_address = has_address or "@" in line
            one_line = bool(_SENDERS & names) and _SUBJECT.search(line) is not None
            several = len(names) > 1 and (has_address or bool(_SENDERS & names))
            sure = has_address or bool(
                names & {"subject", "assunto", "sent", "date", "enviado", "enviado em"}
            )
            if one_line or (several and sure):
                return begin
        elif line.strip():
            names, has_address = set(), False
        at += len(line) + 1
    return None


def _announced_texts(text: str, spans: Sequence[QuotedSpan]) -> Iterator[QuotedSpan]:
    """Find the first announcement followed by text. If a delimited block follows, only the block is quoted."""
    starts = [span.start for span in spans]
    for colon in _ANNOUNCING_COLON.finditer(text):
        clause = text[max(colon.start() - MAX_ANNOUNCEMENT_CHARS, 0) : colon.start()]
        breaks = [match.end() for match in _CLAUSE_BREAK.finditer(clause)]
        if not _announces(clause[breaks[-1] if breaks else 0 :]):
            continue
        following = _SPACE.match(text, colon.end())
        place = following.end() if following else colon.end()
        index = bisect_right(starts, place) - 1
        if index >= 0 and place < spans[index].end:
            continue
        yield QuotedSpan(place, _closing_quote(text, place) or len(text))
        return


def _closing_quote(text: str, place: int) -> int | None:
    """Return the end of the quotation that starts at a place, if it ends with a sentence: the author "
    "goes on after it.
    """
    closing = {"'": "'", "‘": "’", '"': '"', "“": "”"}.get(text[place : place + 1])
    if closing is None:
        return None
    match = re.compile(rf"[.!?…]{closing}(?=\s)").search(text, place + 1)
    return match.end() if match else None


def _announces(clause: str) -> bool:
    words = [match.group().lower() for match in _WORD.finditer(clause)]
    first = 2 if words[:1] == ["i"] and words[1:2] and words[1] in _WISHES else 0
    verb = next((word for word in words[first:] if word not in _BEFORE_VERB), "")
    if verb in _TEXT_VERBS:
        return True
    return bool(_PRESENTING & set(words)) and bool(_TEXT_NOUNS & set(words))


def _indented_code(text: str) -> Iterator[QuotedSpan]:
    lines = text.split("\n")
    spoken = [line for line in lines if line.strip() and not line.startswith("\0")]
    # A message that is indented as a whole is not code.
    if all(_INDENTED.match(line) for line in spoken):
        return
    at, after_blank = 0, True
    for line in lines:
        is_code = after_blank and _INDENTED.match(line) is not None
        if is_code:
            yield QuotedSpan(at, at + len(line))
        after_blank = is_code or not line.strip("\0 \t\r")
        at += len(line) + 1


def _quotations(text: str) -> Iterator[QuotedSpan]:
    for opening, closings in _QUOTES.items():
        yield from _between(text, opening, closings)
    at = text.find('"')
    while at >= 0:
        close = text.find('"', at + 1)
        if close < 0:
            return
        opens = at == 0 or text[at - 1] in _OPENS_AFTER
        inside = text[at + 1 : close]
        if opens and inside[:1].strip() and "\n\n" not in inside:
            if _is_passage(inside):
                yield QuotedSpan(at + 1, close, inline=True)
            close = text.find('"', close + 1)
        at = close


def _between(text: str, opening: str, closings: str) -> Iterator[QuotedSpan]:
    last = max(text.rfind(closing) for closing in closings)
    at = text.find(opening)
    while 0 <= at < last:
        close = next(place for place in range(at + 1, len(text)) if text[place] in closings)
        if _is_passage(text[at + 1 : close]):
            yield QuotedSpan(at + 1, close, inline=True)
        at = text.find(opening, close)


def _is_passage(inside: str) -> bool:
    """Return whether a quotation is a passage rather than a name or title (few or capitalized words)."""
    words = inside.split()
    capitalized = sum(word[:1].isupper() and len(word.strip(",.!")) > 1 for word in words)
    return len(words) > MAX_TITLE_WORDS and 2 * capitalized < len(words)


_DETECTORS: tuple[Callable[[str], Iterator[QuotedSpan]], ...] = (
    _fences,
    _triple_quotes,
    _tagged_blocks,
    _quoted_lines,
    _mails,
)
