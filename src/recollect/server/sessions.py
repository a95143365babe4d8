"""Browser sessions: a one-time login link sets a session cookie; writes also need a CSRF token."""

from recollect.services.access import SESSION_LIFETIME

SESSION_COOKIE = "recollect_session"
CSRF_HEADER = "x-csrf-token"
SESSION_SECONDS = int(SESSION_LIFETIME.total_seconds())
