"""The planner's own sentences, in every language of the rulebook."""

from collections.abc import Mapping
from importlib.resources import files
from string import Formatter

from rungwise.domain.errors import InvalidRulebook
from rungwise.engine.documents import Documents
from rungwise.engine.strict_yaml import parse

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
        shipped = {} if FILE in documents.base else _shipped_fields()
        for key, texts in entries.items():
            if not isinstance(texts, dict) or sorted(texts) != sorted(LOCALES):
                problems.append((key, f"{key}: needs exactly the languages {', '.join(LOCALES)}"))
            elif not all(isinstance(text, str) and _plain(text) for text in texts.values()):
                problems.append((key, f"{key}: only plain {{field}}s are allowed"))
            elif len({frozenset(_fields(text)) for text in texts.values()}) != 1:
                problems.append((key, f"{key}: the languages name different fields"))
            elif key in shipped and not shipped[key].issuperset(_fields(texts["en"])):
                known = ", ".join(sorted(shipped[key])) or "none"
                problems.append((key, f"{key}: the planner gives this sentence the fields {known}"))
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


def _shipped_fields() -> dict[str, frozenset[str]]:
    """Return the fields of the sentences that ship: what the planner gives is what an overlay may name."""
    shipped, _ = parse((files("rungwise.rulebook") / FILE).read_text(encoding="utf-8"))
    return {key: frozenset(_fields(texts["en"])) for key, texts in shipped["messages"].items()}


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
