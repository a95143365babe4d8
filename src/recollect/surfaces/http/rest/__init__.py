"""The API: everything that can be asked of a memory and done with it, one file per subject."""

from recollect.surfaces.http.rest import (
    aliases,
    chats,
    contexts,
    conversing,
    exporting,
    garden,
    jobs,
    measuring,
    memories,
    privacy,
    recall,
    settings,
    summaries,
)

#: A path of its own comes before one with an id in its place.
ROUTERS = (
    recall.router,
    privacy.router,
    summaries.router,
    garden.router,
    measuring.router,
    memories.router,
    conversing.router,
    chats.router,
    contexts.router,
    jobs.router,
    settings.router,
    exporting.router,
    aliases.router,
)
