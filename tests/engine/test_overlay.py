import pytest
from rungwise.domain.errors import InvalidRulebook
from rungwise.engine.documents import read_documents

RULE = "limits/sp-divides-gpus.yaml"


def problems(*books):
    with pytest.raises(InvalidRulebook) as caught:
        read_documents([book.directory for book in books], cases=True)
    return [str(problem).removeprefix(f"{books[-1].directory}/") for problem in caught.value.problems]


def replacement(book, path, replaces, reason="because"):
    return f"{(book.directory / path).read_text()}replaces: {replaces}\nreason: {reason}\n"


def test_a_rule_is_replaced_with_a_reason(book, overlay):
    overlay.write(RULE, replacement(book, RULE, "sp-divides-gpus").replace("!= 0", "> 1"))
    rule = book.ruleset(overlay).rule("sp-divides-gpus")
    assert rule.when_text == ("gpus_mod_sp > 1",)
    documents = read_documents([book.directory, overlay.directory])
    assert RULE not in documents.base
    assert "facts.yaml" in documents.base


def test_the_last_overlay_wins(book, overlay, tmp_path):
    third = type(book)(tmp_path / "third")
    for made, new in ((overlay, "> 1"), (third, "> 2")):
        made.write(RULE, replacement(book, RULE, "sp-divides-gpus").replace("!= 0", new))
    assert book.ruleset(overlay, third).rule("sp-divides-gpus").when_text == ("gpus_mod_sp > 2",)
    assert book.ruleset(third, overlay).rule("sp-divides-gpus").when_text == ("gpus_mod_sp > 1",)


def test_a_rule_is_added_under_the_site_s_name(book, overlay, rule_text):
    overlay.write("limits/acme.host-memory.yaml", rule_text("acme.host-memory", "gpus > 1"))
    ids = [rule.id for rule in book.ruleset(overlay).rules]
    assert ids == ["acme.host-memory", "offload-is-slow", "sp-divides-gpus"]


def test_a_replacement_may_bring_its_cases(book, overlay):
    cases = "limits/sp-divides-gpus.cases.yaml"
    overlay.write(RULE, replacement(book, RULE, "sp-divides-gpus"))
    overlay.write(cases, "schema_version: 1\nrule: sp-divides-gpus\ncases: []\n")
    documents = read_documents([book.directory, overlay.directory], cases=True)
    assert documents.files[cases]["cases"] == []


FAULTS = [
    (RULE, "schema_version: 1\nid: a\n", "1:1", "sp-divides-gpus exists already; to replace it say"),
    (
        RULE,
        "schema_version: 1\nreplaces: other\n",
        "2:1",
        "sp-divides-gpus exists already; to replace it say",
    ),
    (
        RULE,
        "schema_version: 1\nreplaces: sp-divides-gpus\n",
        "1:1",
        "replacing sp-divides-gpus needs a `reason`",
    ),
    (
        RULE,
        "schema_version: 1\nreason: ' '\nreplaces: sp-divides-gpus\n",
        "2:1",
        "replacing sp-divides-gpus needs",
    ),
    ("limits/acme.x.yaml", "schema_version: 1\nreplaces: x\n", "2:1", "replaces 'x', which does not exist"),
    (
        "limits/x.yaml",
        "schema_version: 1\nid: x\n",
        "2:1",
        "an overlay's own id carries the site's name, such as site.x",
    ),
    ("ladders/x.yaml", "schema_version: 1\nid: x\n", "2:1", "an overlay's own id carries the site's name"),
    ("limits/Acme.x.yaml", "schema_version: 1\n", "1:1", "an overlay's own id carries the site's name"),
    ("facts.yaml", "schema_version: 1\n", "1:1", "facts.yaml cannot be overlaid"),
    ("messages.yaml", "schema_version: 1\n", "1:1", "messages exists already; to replace it say"),
    (
        "limits/sp-divides-gpus.cases.yaml",
        "schema_version: 1\n",
        "1:1",
        "replaces the cases of a rule that this overlay does not replace",
    ),
    ("evidence/guide.csv", "a\n", "", "replaces a file; evidence/guide.yaml beside it must say"),
    ("evidence/guide.yaml", "schema_version: 1\n", "1:1", "guide exists already; to replace it say"),
    (
        "catalog/gpus.yaml",
        "schema_version: 1\ngpus:\n  - {id: a}\n",
        "3:5",
        "a exists already; to replace it say",
    ),
    (
        "catalog/gpus.yaml",
        "schema_version: 1\ngpus:\n  - {id: a, replaces: a}\n",
        "3:5",
        "replacing a needs a `reason`",
    ),
    (
        "catalog/gpus.yaml",
        "schema_version: 1\ngpus:\n  - {id: z, replaces: z}\n",
        "3:13",
        "replaces 'z', which does not exist",
    ),
    ("catalog/gpus.yaml", "schema_version: 1\ngpus:\n  - {gib: 1}\n", "3:5", "the row has no id"),
    ("catalog/gpus.yaml", "schema_version: 1\ngpus:\n  - x\n", "3:5", "the row has no id"),
    (
        "catalog/gpus.yaml",
        "schema_version: 1\ngpus: x\n",
        "2:1",
        "gpus is not a list of rows of catalog/gpus.yaml",
    ),
    ("catalog/gpus.yaml", "schema_version: 1\ncards: []\n", "2:1", "cards is not a list of rows"),
]


@pytest.mark.parametrize(("path", "text", "place", "message"), FAULTS)
def test_an_overlay_s_fault_is_named(book, overlay, path, text, place, message):
    overlay.write(path, text)
    (problem,) = problems(book, overlay)
    assert problem.startswith(f"{path}:{place}: {message}" if place else f"{path}: {message}")


BASE_FAULTS = [
    ("limits/acme.x.yaml", "schema_version: 1\nid: acme.x\n", "2:1", "'acme.x' is not an id"),
    ("ladders/x.yaml", "schema_version: 1\nreplaces: y\n", "2:1", "only an overlay can replace something"),
]


@pytest.mark.parametrize(("path", "text", "place", "message"), BASE_FAULTS)
def test_a_base_s_fault_is_named(book, path, text, place, message):
    book.write(path, text)
    (problem,) = problems(book)
    assert f"{path}:{place}: {message}" in problem


def test_rows_are_replaced_and_added(book, overlay):
    overlay.write(
        "catalog/gpus.yaml",
        "schema_version: 1\ngpus:\n  - {id: c, gib: 3}\n  - {id: a, gib: 9, replaces: a, reason: measured}\n",
    )
    documents = read_documents([book.directory, overlay.directory])
    assert documents.files["catalog/gpus.yaml"]["gpus"] == [
        {"id": "a", "gib": 9},
        {"id": "b", "gib": 2},
        {"id": "c", "gib": 3},
    ]


def test_a_fault_of_a_merged_row_has_the_place_it_was_written_at(book, overlay):
    overlay.write("catalog/gpus.yaml", "schema_version: 1\ngpus:\n  - {id: c, gib: 3}\n")
    documents = read_documents([book.directory, overlay.directory])
    assert str(documents.problem("catalog/gpus.yaml", ("gpus", 1, "gib"), "x")) == "catalog/gpus.yaml:4:13: x"
    assert (
        str(documents.problem("catalog/gpus.yaml", ("gpus", 2, "gib"), "x"))
        == f"{overlay.directory}/catalog/gpus.yaml:3:13: x"
    )


def test_messages_are_replaced_by_key(book, overlay):
    overlay.write(
        "messages.yaml",
        "schema_version: 1\nreplaces: messages\nreason: tone\nmessages:\n  hello: {en: hi, zh: 嗨}\n",
    )
    documents = read_documents([book.directory, overlay.directory])
    assert documents.files["messages.yaml"] == {
        "schema_version": 1,
        "messages": {"hello": {"en": "hi", "zh": "嗨"}},
    }


def test_an_unknown_message_is_refused(book, overlay):
    overlay.write(
        "messages.yaml",
        "schema_version: 1\nreplaces: messages\nreason: tone\nmessages:\n  bye: {en: x, zh: x}\n",
    )
    assert problems(book, overlay) == ["messages.yaml:5:3: there is no message 'bye' to replace"]


def test_evidence_is_replaced_together_with_its_table(book, overlay):
    overlay.write("evidence/guide.csv", "a,b\n3,4\n")
    overlay.write("evidence/guide.yaml", "schema_version: 1\nreplaces: guide\nreason: measured again\n")
    overlay.write("evidence/ours.csv", "a\n").write("evidence/ours.yaml", "schema_version: 1\n")
    documents = read_documents([book.directory, overlay.directory])
    assert documents.files["evidence/guide.csv"] == "a,b\n3,4\n"
    assert documents.files["evidence/guide.yaml"] == {"schema_version": 1}
    assert documents.files["evidence/ours.csv"] == "a\n"
