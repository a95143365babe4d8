"""Store contract: tokens, sessions, idempotency keys, rate limits and schedules."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from tests.contract.stores import OpenStore

from recollect.domain.access import KeyClaim, Principal, RequestCount, Session
from recollect.ports.store import Store
from recollect.testing.clock import MONDAY

PHONE = Principal(name="phone", user="bruno")
OWNER = Principal(name="owner", user="ana", is_admin=True)
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
SESSION = Session(principal=PHONE, csrf_token="csrf", expires_at=MONDAY + DAY)


def test_a_token_is_found_by_its_hash_in_every_process(store: Store, open_store: OpenStore) -> None:
    assert store.access_tokens.add(OWNER, "hash of owner", now=MONDAY, secret="rk-owner")
    assert store.access_tokens.add(PHONE, "hash of phone", now=MONDAY)
    other = open_store()

    assert other.access_tokens.find("hash of phone") == PHONE
    assert other.access_tokens.find("hash of nothing") is None
    assert list(other.access_tokens.list()) == [OWNER, PHONE]
    assert [other.access_tokens.secret(name) for name in ("owner", "phone", "tablet")] == [
        "rk-owner",
        None,
        None,
    ]


def test_a_name_has_one_token(store: Store) -> None:
    store.access_tokens.add(PHONE, "first", now=MONDAY)

    assert not store.access_tokens.add(PHONE, "second", now=MONDAY)
    assert store.access_tokens.find("second") is None
    assert store.access_tokens.find("first") == PHONE


def test_a_deleted_token_ends_its_sessions_and_login_links(store: Store) -> None:
    store.access_tokens.add(PHONE, "hash", now=MONDAY)
    store.sessions.add("session", SESSION)
    store.sessions.add_login_code("code", PHONE, expires_at=MONDAY + DAY)

    assert [store.access_tokens.delete("phone") for _ in range(2)] == [True, False]
    assert store.access_tokens.find("hash") is None
    assert store.sessions.find("session", now=MONDAY) is None
    assert store.sessions.take_login_code("code", now=MONDAY) is None


def test_a_login_code_is_taken_once_and_before_it_expires(store: Store) -> None:
    for code in ("first", "second"):
        store.sessions.add_login_code(code, PHONE, expires_at=MONDAY + MINUTE)

    assert [store.sessions.take_login_code("first", now=MONDAY) for _ in range(2)] == [PHONE, None]
    assert store.sessions.take_login_code("second", now=MONDAY + MINUTE) is None


def test_a_session_lasts_until_it_expires_or_is_ended(store: Store, open_store: OpenStore) -> None:
    for name in ("one", "two"):
        store.sessions.add(name, SESSION)
    store.sessions.delete("two")
    other = open_store()

    assert other.sessions.find("one", now=MONDAY) == SESSION
    assert other.sessions.find("two", now=MONDAY) is None
    assert other.sessions.find("one", now=SESSION.expires_at) is None
    assert [other.sessions.prune(MONDAY), other.sessions.prune(SESSION.expires_at)] == [0, 1]


def claim(store: Store, request: str, minutes: int = 0) -> KeyClaim:
    now = MONDAY + minutes * MINUTE
    return store.idempotency_keys.claim("key", request, now=now, stale_before=now - 10 * MINUTE)


def test_a_key_is_claimed_by_one_request(store: Store, open_store: OpenStore) -> None:
    other = open_store()
    claims = [claim(store, "a"), claim(other, "a"), claim(other, "b")]
    store.idempotency_keys.finish("key")

    assert claims == [KeyClaim.NEW, KeyClaim.RUNNING, KeyClaim.OTHER_REQUEST]
    assert claim(other, "a") is KeyClaim.FINISHED


def test_a_released_or_stale_claim_can_be_claimed_again(store: Store) -> None:
    claim(store, "a")
    store.idempotency_keys.release("key")
    again = claim(store, "a")

    assert again is KeyClaim.NEW
    assert [claim(store, "a", minutes=9), claim(store, "a", minutes=11)] == [KeyClaim.RUNNING, KeyClaim.NEW]


def test_old_keys_are_pruned(store: Store) -> None:
    claim(store, "a")
    store.idempotency_keys.finish("key")

    assert [store.idempotency_keys.prune(MONDAY), store.idempotency_keys.prune(MONDAY + MINUTE)] == [0, 1]
    assert claim(store, "b") is KeyClaim.NEW


def test_one_of_many_simultaneous_claims_succeeds(open_store: OpenStore) -> None:
    stores = [open_store() for _ in range(2)]
    with ThreadPoolExecutor(4) as pool:
        claims = list(pool.map(lambda number: claim(stores[number % 2], "a"), range(8)))

    assert sorted(claims) == [KeyClaim.NEW, *[KeyClaim.RUNNING] * 7]


def test_requests_of_all_servers_are_counted_per_minute(store: Store, open_store: OpenStore) -> None:
    other = open_store()
    counts = [
        store.rate_limits.add("phone", 7, 2),
        other.rate_limits.add("phone", 7, 3),
        other.rate_limits.add("tablet", 7, 1),
        store.rate_limits.add("phone", 8, 1),
        store.rate_limits.add("phone", 10, 1),
    ]

    assert counts == [
        RequestCount(this_minute=2, previous_minute=0),
        RequestCount(this_minute=5, previous_minute=0),
        RequestCount(this_minute=1, previous_minute=0),
        RequestCount(this_minute=1, previous_minute=5),
        RequestCount(this_minute=1, previous_minute=0),
    ]


def test_a_schedule_is_claimed_once_per_interval(store: Store, open_store: OpenStore) -> None:
    other = open_store()
    times = [MONDAY, MONDAY + 23 * 60 * MINUTE, MONDAY + DAY]
    claims = [
        each.schedules.claim("daily", now=now, interval=DAY) for now in times for each in (store, other)
    ]
    other.schedules.release("daily")

    assert claims == [True, False, False, False, True, False]
    assert store.schedules.claim("daily", now=MONDAY + DAY, interval=DAY)
    assert store.schedules.claim("weekly", now=MONDAY, interval=DAY)
