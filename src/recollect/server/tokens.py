"""Access tokens: one for the owner, created on first start, and further ones by name."""

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from recollect.domain.scope import validate_name
from recollect.errors import InvalidInput, NotFound

#: Distinguishes our tokens from the keys of model providers.
TOKEN_PREFIX = "rk-"  # noqa: S105 - not a password


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """The identity that a token stands for."""

    name: str  #: name of the token
    user: str  #: user whose memory it may access
    is_admin: bool = False


class TokenStore:
    """
    The tokens of one store, in two files next to it with mode 0600.

    The owner's token is stored as it is, since the command line passes it to the browser; of others only a hash is.
    """

    def __init__(self, db: Path, *, owner: str) -> None:
        self._owner_token_path = db.with_name(f"{db.name}.token")
        self._tokens_path = db.with_name(f"{db.name}.tokens.json")
        self.owner = Principal(name="owner", user=owner, is_admin=True)

    @property
    def owner_token(self) -> str:
        """The owner's token; created if there is none yet."""
        try:
            return self._owner_token_path.read_text("utf-8").strip()
        except FileNotFoundError:
            token = TOKEN_PREFIX + secrets.token_urlsafe(32)
            _write_private(self._owner_token_path, token + "\n")
            return token

    def authenticate(self, token: str) -> Principal | None:
        """Return the token's principal, or None. Compares in constant time and does not stop at a match."""
        digest = _digest(token)
        principal = self.owner if hmac.compare_digest(digest, _digest(self.owner_token)) else None
        for candidate, known_digest in self._digests_by_principal().items():
            if hmac.compare_digest(digest, known_digest):
                principal = candidate
        return principal

    def add(self, name: str, *, user: str, admin: bool = False) -> str:
        """Create a token and return it; it cannot be read again."""
        entries = self._entries()
        if name in entries or name == self.owner.name:
            raise InvalidInput(
                f"A token named {name!r} already exists. Choose another name, or revoke it first."
            )
        token = TOKEN_PREFIX + secrets.token_urlsafe(32)
        entries[validate_name("name of the token", name)] = {
            "user": validate_name("user id", user),
            "admin": admin,
            "sha256": _digest(token),
        }
        _write_private(self._tokens_path, json.dumps(entries, indent=2, ensure_ascii=False) + "\n")
        return token

    def revoke(self, name: str) -> None:
        entries = self._entries()
        if entries.pop(name, None) is None:
            raise NotFound(f"There is no token named {name!r}. `recollect tokens` lists all tokens.")
        _write_private(self._tokens_path, json.dumps(entries, indent=2, ensure_ascii=False) + "\n")

    def principals(self) -> list[Principal]:
        return [self.owner, *self._digests_by_principal()]

    def _digests_by_principal(self) -> dict[Principal, str]:
        return {
            Principal(name=name, user=str(entry["user"]), is_admin=bool(entry["admin"])): str(entry["sha256"])
            for name, entry in self._entries().items()
        }

    def _entries(self) -> dict[str, Mapping[str, object]]:
        try:
            entries: dict[str, Mapping[str, object]] = json.loads(self._tokens_path.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        return entries


def is_token(text: str) -> bool:
    """Return whether a credential has the form of our tokens, valid or not; quotes and case are ignored."""
    return text.strip("\"' ").lower().startswith(TOKEN_PREFIX)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _write_private(path: Path, text: str) -> None:
    """Write atomically, by rename; other users can never read the file, not even during the write."""
    draft = path.with_name(f"{path.name}.new")
    draft.unlink(missing_ok=True)
    with os.fdopen(
        os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
    ) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
