"""A reviewer, or an agent, in a process of its own: decides or uses every review as fast as it can, once it is told to.

Arguments: the store, what to do (`approve`, `reject` or `redeem`), and a name. It says `ready`, waits for a line, and
then prints the ids of the reviews with which it succeeded.
"""

from __future__ import annotations

import sys

from understudy.governance import HITLGateway, ReviewError, ReviewService
from understudy.store import open_store

WHAT = ("triage-bot", "delete_stix", "indicator--1")


def main() -> None:
    where, verb, name = sys.argv[1:]
    with open_store(where) as store:
        reviews = ReviewService(store)
        gateway = HITLGateway(reviews)
        items = reviews.list()
        print("ready", flush=True)
        sys.stdin.readline()
        for item in items:
            try:
                if verb == "redeem":
                    if not gateway.redeem(item.id, *WHAT):
                        continue
                elif verb == "approve":
                    reviews.approve(item.id, name)
                else:
                    reviews.reject(item.id, "no", name)
            except ReviewError:
                continue
            print(item.id)


if __name__ == "__main__":
    main()
