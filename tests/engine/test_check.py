import pytest
from rungwise.domain.errors import InvalidRulebook
from rungwise.engine.check import check

LIMIT = "limits/sp-divides-gpus.yaml"
CASES = "limits/sp-divides-gpus.cases.yaml"
ADVICE = "advice/offload-is-slow.yaml"


def problems(book, *overlays, readers=()):
    return [str(problem) for problem in check([book.directory, *(o.directory for o in overlays)], readers)]


def with_cases(book, rule_id, text, fact):
    book.write(f"limits/{rule_id}.yaml", text)
    # `check` does not run cases, so one fact will do for both outcomes.
    cases = "".join(
        f"  - {{name: case {fires}, fires: {fires}, fact: {fact}}}\n" for fires in ("true", "false")
    )
    return book.write(f"limits/{rule_id}.cases.yaml", f"schema_version: 1\nrule: {rule_id}\ncases:\n{cases}")


def test_a_sound_rulebook_has_no_problem(book):
    assert problems(book) == []


CASE_FAULTS = [
    (
        "rule: sp-divides-gpus",
        "rule: other",
        "2:1: `rule` is 'other', but the file is named after sp-divides-gpus",
    ),
    ("cases:", "tests:", "1:1: `cases` is a list of {name: ..., fires: true|false, fact: {...}}"),
    ("name: SP=4 on 6 GPUs, ", "", "4:5: `name` says in words what the case is"),
    ("SP=4 on 6", "SP=2 on 6", "5:6: a second case named 'SP=2 on 6 GPUs'"),
    ("fires: true", "fires: maybe", "4:28: `fires` is true or false"),
    ("fires: true", "fires: false", "3:1: no case fires sp-divides-gpus"),
    ("fires: false", "fires: true", "3:1: no case does not fire sp-divides-gpus"),
    ("gpus_mod_sp: 2}", "gpus_mod_sp: 2, gpu: 1}", "4:100: unknown field gpu"),
    (
        "gpus_mod_sp: 2}",
        "gpus_mod_sp: 2, max_model_len: 1}",
        "4:100: not a field that sp-divides-gpus names: max_model_len",
    ),
    (", gpus_mod_sp: 2", "", "4:41: gpus_mod_sp is missing, which sp-divides-gpus names"),
    (
        "sequence_parallel_size: 4",
        "sequence_parallel_size: '4'",
        "4:57: sequence_parallel_size is '4', not a whole",
    ),
    (
        "fact: {gpus: 6, sequence_parallel_size: 4, gpus_mod_sp: 2}",
        "fact: 1",
        "4:41: `fact` maps fields to values",
    ),
    ("fires: true,", "fires: true, why: x,", "4:41: unknown key `why`"),
    ("cases:", "owner: x\ncases:", "3:1: unknown key `owner`"),
    (
        "  - {name: SP=4",
        "  - x\n  - {name: SP=4",
        "4:5: a case is {name: ..., fires: true|false, fact: {...}}",
    ),
]


@pytest.mark.parametrize(("old", "new", "problem"), CASE_FAULTS)
def test_a_fault_of_a_case_is_named(book, old, new, problem):
    book.edit(CASES, old, new)
    assert any(found.startswith(f"{CASES}:{problem}") for found in problems(book)), problems(book)


def test_missing_cases_are_a_problem(book):
    (book.directory / CASES).unlink()
    assert problems(book) == [f"{LIMIT}:1:1: {CASES} is missing: a rule has cases"]


def test_cases_without_a_rule_are_a_problem(book):
    book.write("advice/ghost.cases.yaml", "schema_version: 1\nrule: ghost\ncases: []\n")
    assert problems(book) == ["advice/ghost.cases.yaml:1:1: there is no rule advice/ghost.yaml"]


def test_a_rule_that_can_never_match(book):
    book.edit(LIMIT, "  - gpus_mod_sp != 0\n", "  - gpus_mod_sp > 5\n  - gpus_mod_sp < 3\n")
    assert problems(book) == [
        f"{LIMIT}:8:1: sp-divides-gpus can never match: its conditions contradict each other"
    ]


SHADOWS = [
    (("gpus_mod_sp != 0",), "whenever it matches, sp-divides-gpus matches with the same result"),
    (("gpus_mod_sp > 0",), "whenever it matches, sp-divides-gpus matches with the same result"),
    (("gpus_mod_sp != 0", "gpus > 4"), "whenever it matches, sp-divides-gpus matches with the same result"),
    (("gpus > 4",), ""),
    (("gpus_mod_sp >= 0",), ""),
]


@pytest.mark.parametrize(("when", "message"), SHADOWS)
def test_a_rule_that_another_makes_pointless(book, rule_text, when, message):
    fact = "{gpus: 6, sequence_parallel_size: 4, gpus_mod_sp: 2}"
    with_cases(book, "zz-second", rule_text("zz-second", *when), fact)
    assert problems(book) == (
        [f"limits/zz-second.yaml:8:1: zz-second is shadowed: {message}"] if message else []
    )


def test_another_result_is_not_a_shadow(book, rule_text):
    text = rule_text("zz-second", "gpus_mod_sp > 0").replace(
        "en: SP does not divide the GPUs", "en: other words"
    )
    with_cases(book, "zz-second", text, "{gpus: 6, sequence_parallel_size: 4, gpus_mod_sp: 2}")
    assert problems(book) == []


def test_advice_on_a_special_case_is_not_a_shadow(book):
    text = (book.directory / ADVICE).read_text().replace("offload-is-slow", "special")
    cases = (
        (book.directory / "advice/offload-is-slow.cases.yaml")
        .read_text()
        .replace("offload-is-slow", "special")
    )
    special = text.replace("when:\n", "when:\n  - label == 'Env + Offload'\n")
    book.write("advice/special.cases.yaml", cases)
    book.write("advice/special.yaml", special.replace("{label} offloads.", "{label}: look here."))
    assert problems(book) == []
    book.write("advice/special.yaml", special)
    assert len(problems(book)) == 1
    book.write("advice/special.yaml", text.replace("{label} offloads.", "{label}: look here."))
    assert problems(book) == [
        "advice/special.yaml:8:1: special is shadowed: "
        "whenever it matches, offload-is-slow matches with the same result"
    ]


def test_the_parts_readers_are_asked_too(book):
    def refuse(documents):
        raise InvalidRulebook([documents.problem("ladders/trinity-rft.yaml", ("id",), "no such framework")])

    book.edit(LIMIT, "confidence: high", "confidence: sure")
    assert problems(book, readers=[lambda documents: None, refuse, refuse]) == [
        "ladders/trinity-rft.yaml:2:1: no such framework",
        f"{LIMIT}:16:1: `confidence`: input should be 'low', 'medium' or 'high'",
    ]


def test_faults_of_an_overlay_are_named_with_its_directory(book, overlay, rule_text):
    overlay.write("limits/acme.x.yaml", rule_text("acme.x", "gpus == 1"))
    assert problems(book, overlay) == [
        f"{overlay.directory}/limits/acme.x.yaml:1:1: limits/acme.x.cases.yaml is missing: a rule has cases"
    ]


def test_a_rulebook_that_cannot_be_read(book):
    book.write("limits/a.yaml", "a: 1\na: 2\n")
    assert problems(book) == ["limits/a.yaml:2:1: duplicate key 'a'"]
