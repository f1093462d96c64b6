"""Names that people type for models and GPUs: how they match, and what to suggest when they do not."""

import re
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher

LONGEST_NAME = 200
"""Characters. A longer name is no misspelling of a catalog name: it is not compared with any."""

_SHOWN_CHARACTERS = 80
_SUGGESTIONS = 3
_LEAST_SIMILARITY = 0.6
_SEPARATORS = re.compile(r"[-_\s]+")
_PUNCTUATION = re.compile(r"[^0-9a-z]+")


def shown(text: str, characters: int = _SHOWN_CHARACTERS) -> str:
    r"""Foreign text as it may stand in a message: cut off, and what does not print escaped.

    >>> shown("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    cut = text if len(text) <= characters else text[:characters] + "…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in cut)


def model_key(name: str) -> str:
    """Fold a model name: any case, all else exact, so that Qwen3-4B is not Qwen3-4B-Instruct-2507."""
    return name.casefold()


def bare_name(model_id: str) -> str:
    """Cut the organisation off: `Qwen/Qwen3-8B` is `Qwen3-8B`."""
    return model_id.rpartition("/")[2]


def gpu_key(name: str) -> str:
    """Fold a GPU name: any case; space, `-` and `_` are one separator.

    >>> gpu_key("NVIDIA A100_SXM4-80GB")
    'nvidia-a100-sxm4-80gb'
    """
    return _SEPARATORS.sub("-", name.casefold()).strip("-")


def nearest(name: str, spellings: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Give up to three ids whose spellings are nearest to `name`, best first.

    `spellings` maps each id to all its names. Punctuation does not count: `qwen38b` is near `Qwen/Qwen3-8B`.
    Where spellings begin with the name, those that merely look like it are left out.
    """
    if len(name) > LONGEST_NAME:
        return ()
    wanted = _squash(name)
    if not wanted:
        return ()
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    scores: dict[str, float] = {}
    for identifier, names in spellings.items():
        score = max((_similarity(matcher, wanted, _squash(spelling)) for spelling in names), default=0.0)
        if score >= _LEAST_SIMILARITY:
            scores[identifier] = score
    if any(score > 1 for score in scores.values()):
        scores = {identifier: score for identifier, score in scores.items() if score > 1}
    ranked = sorted(scores, key=lambda identifier: (-scores[identifier], len(identifier), identifier))
    return tuple(ranked[:_SUGGESTIONS])


def _squash(name: str) -> str:
    return _PUNCTUATION.sub("", name.casefold())


def _similarity(matcher: "SequenceMatcher[str]", wanted: str, spelling: str) -> float:
    """From 0 to 1; above 1 if the spelling begins with what is wanted."""
    if spelling.startswith(wanted):
        return 1.0 + len(wanted) / len(spelling)
    matcher.set_seq1(spelling)
    if matcher.real_quick_ratio() < _LEAST_SIMILARITY or matcher.quick_ratio() < _LEAST_SIMILARITY:
        return 0.0
    return matcher.ratio()
