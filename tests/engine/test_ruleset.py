import pytest
from rungwise.domain.errors import InvalidRulebook, NotFound

LIMIT = "limits/sp-divides-gpus.yaml"
ADVICE = "advice/offload-is-slow.yaml"


def problems(book):
    with pytest.raises(InvalidRulebook) as caught:
        book.ruleset()
    return [str(problem) for problem in caught.value.problems]


def test_rules_come_in_id_order(book):
    ruleset = book.ruleset()
    assert [rule.id for rule in ruleset.rules] == ["offload-is-slow", "sp-divides-gpus"]
    assert [rule.id for rule in ruleset.stage("legality")] == ["offload-is-slow", "sp-divides-gpus"]
    assert ruleset.stage("memory") == ()


def test_an_unknown_rule_names_the_nearest(book):
    with pytest.raises(NotFound) as caught:
        book.ruleset().rule("sp-divides-gpu")
    assert caught.value.suggestions == ("sp-divides-gpus",)
    assert caught.value.reason == "RULE_NOT_FOUND"


FAULTS = [
    (LIMIT, "id: sp-divides-gpus", "id: sp", "2:1", "the id 'sp' is not the file's name 'sp-divides-gpus'"),
    (LIMIT, "id: sp-divides-gpus", "id: 7", "2:1", "`id`: input should be a valid string"),
    (LIMIT, "zh: SP 整除 GPU 数", "fr: x", "3:34", "unknown key `fr`"),
    (LIMIT, ", zh: SP 整除 GPU 数", "", "3:1", "`zh` is missing"),
    (LIMIT, "kind: limit", "kind: advice", "4:1", "limits/ holds rules of kind limit"),
    (LIMIT, "kind: limit", "kind: filter", "4:1", "`kind`: input should be 'limit' or 'advice'"),
    (LIMIT, "since: 0.1.0", "since: soon", "5:1", "`since`: string should match pattern"),
    (LIMIT, "since: 0.1.0", "since: 0.1", "5:1", "`since`: input should be a valid string"),
    (LIMIT, "status: stable", "status: fine", "6:1", "`status`: input should be 'stable'"),
    (LIMIT, "stage: legality", "stage: law", "7:1", "unknown stage 'law'; facts.yaml has legality, memory"),
    (LIMIT, "  - gpus_mod_sp != 0\n", "  []\n", "8:1", "a rule without conditions would match everything"),
    (
        LIMIT,
        "gpus_mod_sp != 0",
        "gpus_mod_spp != 0",
        "9:5",
        "unknown field 'gpus_mod_spp'; did you mean gpus_mod_sp",
    ),
    (
        LIMIT,
        "gpus_mod_sp != 0",
        "gpus_mod_sp == true",
        "9:5",
        "gpus_mod_sp is int: it cannot be compared with true",
    ),
    (LIMIT, "gpus_mod_sp != 0", "{gpus: 1}", "9:5", "`when.0`: input should be a valid string"),
    (LIMIT, "gpus_mod_sp != 0", "gpus>1\n  - gpus > 1", "10:5", "`gpus > 1` is said twice"),
    (LIMIT, "verdict: reject", "verdict: warn", "10:8", "`verdict`: input should be 'reject'"),
    (LIMIT, "{verdict: reject, summary:", "{severity: info, summary:", "10:8", "unknown key `severity`"),
    (LIMIT, "{gpus_mod_sp} left", "{gpus_mod} left", "12:3", "unknown field {gpus_mod}"),
    (LIMIT, "{gpus_mod_sp} left", "{gpus_mod_sp:>5} left", "12:3", "{gpus_mod_sp:>5} is not a plain {field}"),
    (LIMIT, "{gpus_mod_sp} left", "{gpus_mod_sp!r} left", "12:3", "{gpus_mod_sp!r} is not a plain {field}"),
    (LIMIT, "{gpus_mod_sp} left", "{gpus_mod_sp.__class__} left", "12:3", "is not a plain {field}"),
    (LIMIT, "{gpus_mod_sp} left", "{gpus_mod_sp[0]} left", "12:3", "is not a plain {field}"),
    (LIMIT, "{gpus_mod_sp} left", "{} left", "12:3", "{} is not a plain {field}"),
    (LIMIT, "{gpus_mod_sp} left", "{0} left", "12:3", "{0} is not a plain {field}"),
    (LIMIT, "{gpus_mod_sp} left", "} left", "12:3", "not a template"),
    (LIMIT, "余 {gpus_mod_sp}", "余 {remainder}", "13:3", "unknown field {remainder}"),
    (LIMIT, "source: Ulysses paper\n", "", "1:1", "`source` is missing"),
    (
        LIMIT,
        "source: Ulysses paper",
        "source: ' '",
        "15:1",
        "`source`: string should have at least 1 character",
    ),
    (LIMIT, "source: Ulysses paper", "source:", "15:1", "`source`: input should be a valid string"),
    (
        LIMIT,
        "confidence: high",
        "confidence: sure",
        "16:1",
        "`confidence`: input should be 'low', 'medium' or 'high'",
    ),
    (LIMIT, "confidence: high", "confidence: high\nowner: me", "17:1", "unknown key `owner`"),
    (
        ADVICE,
        "severity: info",
        "severity: loud",
        "11:8",
        "`severity`: input should be 'info', 'warning' or 'critical'",
    ),
    (
        ADVICE,
        "cpu_offload == true",
        "cpu_offload > true",
        "9:5",
        "cpu_offload is bool: it can be compared with ==",
    ),
    (ADVICE, "'fsdp2'", "'zero'", "10:5", "strategy is never 'zero'; it is one of fsdp, fsdp2"),
]


@pytest.mark.parametrize(("path", "old", "new", "place", "message"), FAULTS)
def test_a_rule_s_fault_is_named_with_line_and_column(book, path, old, new, place, message):
    book.edit(path, old, new)
    found = problems(book)
    assert any(problem.startswith(f"{path}:{place}: ") and message in problem for problem in found)


def test_all_faults_of_all_rules_come_at_once(book, rule_text):
    book.edit(LIMIT, "confidence: high", "confidence: sure").edit(LIMIT, "!= 0", "!= x").edit(
        LIMIT, "{gpus} GPUs", "{g}"
    )
    book.write("limits/second.yaml", rule_text("second", "gpu > 1"))
    assert [problem.partition(": ")[0] for problem in problems(book)] == [
        "limits/second.yaml:9:5",
        f"{LIMIT}:9:5",
        f"{LIMIT}:12:3",
        f"{LIMIT}:16:1",
    ]


def test_an_id_is_used_once(book):
    text = (book.directory / ADVICE).read_text().replace("offload-is-slow", "sp-divides-gpus")
    book.write("advice/sp-divides-gpus.yaml", text)
    assert problems(book) == [
        "advice/sp-divides-gpus.yaml:2:1: the id sp-divides-gpus is taken by limits/sp-divides-gpus.yaml"
    ]


def test_loading_sixty_rules_is_quick(book, rule_text, benchmark_seconds):
    for number in range(60):
        book.write(
            f"limits/rule-{number}.yaml",
            rule_text(f"rule-{number}", f"gpus > {number}", "cpu_offload == true"),
        )
    assert len(book.ruleset().rules) == 62
    assert benchmark_seconds(book.ruleset) < 0.3
