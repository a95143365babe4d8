"""
Check names that readers would stumble over: scripts/lint_names.py [SOURCE_FOLDER]

- A class name stands for one thing: it is defined once outside of `adapters`, `testing` and `integrations`, where the
  implementation of a port may carry the port's name.
- A constant says of what: an upper-case constant of one word is not defined by two modules. Word lists of languages
  (`rules/en`, `languages/pt`) are exempt: each language defines the same ones.
- Modules and classes are nouns: neither is a bare participle or gerund, unless it is a term of the field.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

#: Packages whose classes may be twins of a port.
TWIN_PACKAGES = ("adapters", "testing", "integrations")
#: The library's class and the domain's value.
SHARED_CLASS_NAMES = frozenset({"Memory"})
#: Gerunds and participles that every engineer of retrieval, databases and web servers knows as nouns.
TERMS = frozenset(
    """
    binding caching chunking embedding encoding fastembed finding grounding hashing heading indexing listing logging
    mapping merging packing padding parsing phrasing pooling posting pricing ranking reembedding rendering reranking
    routing scheduling scoring setting sharding spending streaming string tokenizing tracing tuning typing
    conflicting refused reinforced rejected superseded
    """.split()
)
IRREGULAR_PARTICIPLES = frozenset(
    """
    begun bought brought built caught chosen done drawn driven felt found forgotten given gone held heard hidden kept
    known laid learnt left lost made meant met paid said seen sent shown sought spoken spent stood taken taught thought
    told understood written
    """.split()
)
#: Modules of one language: those of another language define the same word lists.
LANGUAGE_MODULE = re.compile(r"(?:^|[/_])(?:en|es|pt)(?:/|\.py$)")
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
ONE_WORD_CONSTANT = re.compile(r"[A-Z]{2,}")


class Definition(NamedTuple):
    """A name and the module that defines it, relative to the source folder."""

    name: str
    module: str


def is_participle_or_gerund(word: str) -> bool:
    lower = word.lower()
    if lower in TERMS:
        return False
    return lower in IRREGULAR_PARTICIPLES or re.fullmatch(r"[a-z]{2,}(?:ing|[^e]ed)", lower) is not None


def find_problems(root: Path) -> Iterator[str]:
    modules = {path: ast.parse(path.read_text("utf-8")) for path in sorted(root.rglob("*.py"))}
    classes = [each for path, tree in modules.items() for each in _classes(path.relative_to(root), tree)]
    constants = [each for path, tree in modules.items() for each in _constants(path.relative_to(root), tree)]
    yield from _find_twin_classes(classes)
    yield from _find_shared_constants(constants)
    yield from _find_verb_forms([path.relative_to(root) for path in modules], classes)


def _classes(module: Path, tree: ast.Module) -> Iterator[Definition]:
    return (
        Definition(node.name, module.as_posix())
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )


def _constants(module: Path, tree: ast.Module) -> Iterator[Definition]:
    for node in tree.body:
        targets = (
            node.targets
            if isinstance(node, ast.Assign)
            else [node.target]
            if isinstance(node, ast.AnnAssign)
            else []
        )
        for target in targets:
            if isinstance(target, ast.Name) and ONE_WORD_CONSTANT.fullmatch(target.id):
                yield Definition(target.id, module.as_posix())


def _find_twin_classes(classes: list[Definition]) -> Iterator[str]:
    modules = defaultdict(list)
    for name, module in classes:
        if not module.startswith(TWIN_PACKAGES) and name not in SHARED_CLASS_NAMES:
            modules[name].append(module)
    for name, places in modules.items():
        if len(places) > 1:
            yield f"class {name} is defined in {', '.join(places)}: give each a name of its own"


def _find_shared_constants(constants: list[Definition]) -> Iterator[str]:
    modules = defaultdict(list)
    for name, module in constants:
        if not LANGUAGE_MODULE.search(module):
            modules[name].append(module)
    for name, places in modules.items():
        if len(places) > 1:
            yield f"constant {name} is defined in {', '.join(places)}: say of what, and in which unit"


def _find_verb_forms(modules: list[Path], classes: list[Definition]) -> Iterator[str]:
    for module in modules:
        if is_participle_or_gerund(module.stem):
            yield f"module {module.as_posix()} is a participle or gerund: name the thing it holds"
    for name, place in classes:
        words = WORD.findall(name)
        if len(words) == 1 and is_participle_or_gerund(words[0]):
            yield f"class {name} in {place} is a participle or gerund: name the thing it is"


def main() -> None:
    root = (
        Path(sys.argv[1])
        if len(sys.argv) > 1
        else Path(__file__).resolve().parent.parent / "src" / "recollect"
    )
    problems = list(find_problems(root))
    print("\n".join(problems) if problems else "Names are unique, and modules and classes are nouns.")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
