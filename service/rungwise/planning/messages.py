"""The planner's own sentences, in every language of the rulebook."""

from collections.abc import Mapping
from string import Formatter

from rungwise.domain.errors import InvalidRulebook
from rungwise.engine.documents import Documents

LOCALES = ("en", "zh")
FILE = "messages.yaml"


class Messages:
    """Templates by id and locale."""

    def __init__(self, templates: Mapping[str, Mapping[str, str]]) -> None:
        """Keep `templates`: id → locale → text with plain {field}s."""
        self._templates = templates

    @classmethod
    def from_documents(cls, documents: Documents) -> "Messages":
        """Read messages.yaml. Raises InvalidRulebook with every faulty entry."""
        entries = (documents.files.get(FILE) or {}).get("messages")
        if not isinstance(entries, dict):
            raise InvalidRulebook([documents.problem(FILE, (), "needs a mapping `messages`")])
        problems = []
        for key, texts in entries.items():
            if not isinstance(texts, dict) or sorted(texts) != sorted(LOCALES):
                problems.append((key, f"{key}: needs exactly the languages {', '.join(LOCALES)}"))
            elif not all(isinstance(text, str) and _plain(text) for text in texts.values()):
                problems.append((key, f"{key}: only plain {{field}}s are allowed"))
            elif len({frozenset(_fields(text)) for text in texts.values()}) != 1:
                problems.append((key, f"{key}: the languages name different fields"))
        if problems:
            raise InvalidRulebook(
                [documents.problem(FILE, ("messages", key), text) for key, text in problems]
            )
        return cls(entries)

    def text(self, key: str, locale: str, **values: object) -> str:
        """Fill the template `key` in `locale`."""
        return self._templates[key][locale].format_map(values)

    @property
    def ids(self) -> frozenset[str]:
        """Ids of all templates."""
        return frozenset(self._templates)


def _fields(text: str) -> list[str]:
    return [name for _, name, _, _ in Formatter().parse(text) if name is not None]


def _plain(text: str) -> bool:
    try:
        parsed = list(Formatter().parse(text))
    except ValueError:
        return False
    return all(
        name is None or (name.isidentifier() and not spec and not conversion)
        for _, name, spec, conversion in parsed
    )
