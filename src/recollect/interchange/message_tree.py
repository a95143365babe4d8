"""
Paths in the tree of a conversation. Editing a message or regenerating an answer leaves the old one as another branch.

The current path goes from the current leaf to the root. Every other node belongs to exactly one branch, which begins
after the fork. Linear in the number of nodes; cycles and missing parents end a path.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from recollect.interchange.items import ImportedConversation, ImportedMessage, Omission, OmissionReason
from recollect.interchange.json_fields import build_conversation, shorten_id

#: Node id to parent id; None for a root.
Parents = Mapping[str, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TreePath:
    """Node ids from the root or the fork to a leaf."""

    nodes: Sequence[str]
    is_broken: bool = False  #: whether a parent is missing or the path is a cycle


def current_path(parents: Parents, leaf: str) -> TreePath:
    """Return the path from the root to a leaf."""
    return _walk(parents, leaf, visited=set())


def branch_paths(parents: Parents, current: Sequence[str]) -> list[TreePath]:
    """Return the other branches, each from the node after its fork to its leaf."""
    visited = set(current)
    inner_nodes = {parent for parent in parents.values() if parent is not None}
    leaves = [node for node in parents if node not in inner_nodes and node not in visited]
    paths = [_walk(parents, leaf, visited=visited) for leaf in leaves]
    return [path for path in paths if path.nodes]


def last_leaf(parents: Parents) -> str | None:
    """Return the leaf that comes last in the file."""
    inner_nodes = {parent for parent in parents.values() if parent is not None}
    return next((node for node in reversed(list(parents)) if node not in inner_nodes), None)


def _walk(parents: Parents, leaf: str, *, visited: set[str]) -> TreePath:
    """Return the path up to the root or to a visited node, and mark its nodes as visited."""
    nodes: list[str] = []
    own_nodes: set[str] = set()
    node: str | None = leaf
    while node is not None and node in parents and node not in visited:
        nodes.append(node)
        visited.add(node)
        own_nodes.add(node)
        node = parents[node]
    is_broken = node is not None and (node not in parents or node in own_nodes)
    return TreePath(nodes=nodes[::-1], is_broken=is_broken)


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageNode:
    """A node of the tree: its message, if it has one that is imported, and what was left out of it."""

    parent: str | None
    content: Sequence[ImportedMessage | Omission]


def build_tree(
    nodes: Mapping[str, MessageNode], leaf: str, *, chat: str, title: str, date: object
) -> Iterator[ImportedConversation | Omission]:
    """Yield the current path as a conversation, then each other branch as one of its own."""
    parents = {name: node.parent for name, node in nodes.items()}
    if leaf not in parents:
        fallback = last_leaf(parents)
        if leaf or fallback is None:
            yield Omission(
                reason=OmissionReason.BROKEN_TREE, position=f"chat {chat}", detail="no current node"
            )
        if fallback is None:
            return
        leaf = fallback
    path = current_path(parents, leaf)
    if path.is_broken:
        yield Omission(reason=OmissionReason.BROKEN_TREE, position=f"chat {chat}, message {path.nodes[0]}")
    content = [item for name in path.nodes for item in nodes[name].content]
    yield from build_conversation(content, chat=chat, title=title, date=date)
    for branch in branch_paths(parents, path.nodes):
        messages = [each for name in branch.nodes for each in nodes[name].content]
        # Branches are usually dropped, so what is left out of them is not worth reporting.
        yield from build_conversation(
            (each for each in messages if isinstance(each, ImportedMessage)),
            chat=shorten_id(f"{chat}-{branch.nodes[-1]}"),
            title=title,
            branch_of=chat,
        )
