"""Serves like `rungwise serve`, but every decision takes a while; says when one begins."""

import dataclasses
import os
import sys
import time
from pathlib import Path

from rungwise.server import serve as module
from rungwise.server.options import ServerOptions

SECONDS = float(sys.argv[1])


class SlowMatcher:
    def __init__(self, matcher):
        self.matcher = matcher
        self.slow = True

    def match(self, stage, facts):
        if self.slow:
            self.slow = False
            os.write(1, b"deciding\n")
            time.sleep(SECONDS)
        return self.matcher.match(stage, facts)


load = module.load_knowledge


def slow(overlays: tuple[Path, ...], matcher: str) -> object:
    knowledge = load(overlays, matcher)
    return dataclasses.replace(knowledge, matcher=SlowMatcher(knowledge.matcher))


module.load_knowledge = slow
sys.exit(module.serve(ServerOptions(port=0, drain_seconds=10)))
