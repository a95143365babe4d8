"""Access to the server: tokens, login links, browser sessions, idempotency keys, request counts."""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from recollect.domain.access import KeyClaim, Principal, RequestCount, Session
from recollect.domain.scope import validate_name
from recollect.errors import InvalidInput, NotFound
from recollect.ports.clock import Clock
from recollect.ports.store import Store

OWNER_NAME = "owner"
#: Distinguishes our tokens from the keys of model providers.
TOKEN_PREFIX = "rk-"  # noqa: S105 - not a password
LOGIN_CODE_LIFETIME = timedelta(minutes=5)
SESSION_LIFETIME = timedelta(days=30)
#: A request that was neither finished nor released for this long has failed with its server.
MAX_REQUEST_DURATION = timedelta(minutes=10)
#: How long an idempotency key is remembered.
KEY_LIFETIME = timedelta(hours=24)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessService:
    store: Store
    clock: Clock
    owner_user: str  #: the user of the owner's token

    @property
    def owner(self) -> Principal:
        return Principal(name=OWNER_NAME, user=self.owner_user, is_admin=True)

    def owner_token(self) -> str:
        """Return the owner's token; it is created if there is none yet."""
        token = self.store.access_tokens.secret(OWNER_NAME)
        if token is not None:
            return token
        token = _new_token()
        now = self.clock.now()
        if self.store.access_tokens.add(self.owner, _hash(token), now=now, secret=token):
            return token
        # Another process has created it meanwhile.
        return self.owner_token()

    def authenticate(self, token: str) -> Principal | None:
        """Return the token's principal. The owner's user is the one of the settings."""
        principal = self.store.access_tokens.find(_hash(token))
        return self.owner if principal is not None and principal.name == OWNER_NAME else principal

    def add_token(self, name: str, *, user: str, admin: bool = False) -> str:
        """Create a token and return it; it cannot be read again."""
        principal = Principal(
            name=validate_name("name of the token", name),
            user=validate_name("user id", user),
            is_admin=admin,
        )
        token = _new_token()
        is_taken = name == OWNER_NAME
        if is_taken or not self.store.access_tokens.add(principal, _hash(token), now=self.clock.now()):
            raise InvalidInput(
                f"A token named {name!r} already exists. Choose another name, or revoke it first."
            )
        return token

    def revoke_token(self, name: str) -> None:
        """Delete a token and end its sessions. A new owner's token is created when it is next needed."""
        if not self.store.access_tokens.delete(name):
            raise NotFound(f"There is no token named {name!r}. `recollect tokens` lists all tokens.")

    def principals(self) -> Sequence[Principal]:
        others = [each for each in self.store.access_tokens.list() if each.name != OWNER_NAME]
        return [self.owner, *others]

    def create_login_code(self, principal: Principal) -> str:
        """Return the code of a login link, which starts one session."""
        code = secrets.token_urlsafe(24)
        expires_at = self.clock.now() + LOGIN_CODE_LIFETIME
        self.store.sessions.add_login_code(_hash(code), principal, expires_at=expires_at)
        return code

    def start_session(self, code: str) -> tuple[str, Session] | None:
        """Exchange a login code for a session and its id; None if it was used, expired, or never existed."""
        now = self.clock.now()
        principal = self.store.sessions.take_login_code(_hash(code), now=now)
        if principal is None:
            return None
        session_id = secrets.token_urlsafe(32)
        session = Session(
            principal=principal, csrf_token=secrets.token_urlsafe(32), expires_at=now + SESSION_LIFETIME
        )
        self.store.sessions.add(_hash(session_id), session)
        return session_id, session

    def find_session(self, session_id: str) -> Session | None:
        return self.store.sessions.find(_hash(session_id), now=self.clock.now()) if session_id else None

    def claim_request(self, principal: Principal, path: str, key: str, request_hash: str) -> KeyClaim:
        """Claim an idempotency key of a principal for a request to a path."""
        now = self.clock.now()
        return self.store.idempotency_keys.claim(
            _hash_key(principal, path, key), request_hash, now=now, stale_before=now - MAX_REQUEST_DURATION
        )

    def finish_request(self, principal: Principal, path: str, key: str) -> None:
        self.store.idempotency_keys.finish(_hash_key(principal, path, key))

    def release_request(self, principal: Principal, path: str, key: str) -> None:
        """Give up a claim: the request failed, and sending it again is safe."""
        self.store.idempotency_keys.release(_hash_key(principal, path, key))

    def count_requests(self, principal: Principal, minute: int, requests: int) -> RequestCount:
        """Add requests of a principal to those of all servers, and return their number."""
        return self.store.rate_limits.add(principal.name, minute, requests)

    def delete_expired(self) -> int:
        """Delete expired sessions and idempotency keys; return how many."""
        now = self.clock.now()
        return self.store.sessions.prune(now) + self.store.idempotency_keys.prune(now - KEY_LIFETIME)


def is_token(text: str) -> bool:
    """Return whether a credential has the form of our tokens, valid or not; quotes and case are ignored."""
    return text.strip("\"' ").lower().startswith(TOKEN_PREFIX)


def _new_token() -> str:
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def _hash(secret: str) -> str:
    """Hash a random secret. Secrets are found by their hash, so that no comparison depends on their characters."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _hash_key(principal: Principal, path: str, key: str) -> str:
    return _hash(f"{principal.name}\0{path}\0{key}")
