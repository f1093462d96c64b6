import pytest
from rungwise.domain.errors import RuleFailed
from rungwise.engine.rule import render

RENDERED = [
    (81050, "MiB", "79.15 GiB"),
    (0, "MiB", "0.00 GiB"),
    (1_000_000, "ppm", "1.000"),
    (905_000, "ppm", "0.905"),
    (899_999, "ppm", "0.899"),
    (0, "ppm", "0.000"),
    (20480, "tokens", "20,480"),
    (512, "tokens", "512"),
    (20400, "version", "2.4.0"),
    (45112, "version", "4.51.12"),
    (0, "version", "0.0.0"),
    (80, "tenths", "8.0"),
    (121, "tenths", "12.1"),
    (2000, "thousandths", "2.0"),
    (1250, "thousandths", "1.25"),
    (1001, "thousandths", "1.001"),
    (8191, "millions", "8.2 B"),
    (1000, "millions", "1.0 B"),
    (596, "millions", "596 M"),
    (9999, "", "9999"),
    (10000, "", "10,000"),
    (-10000, "", "-10,000"),
    (True, "", "yes"),
    (False, "", "no"),
    ("Env + SP=2", "", "Env + SP=2"),
]


@pytest.mark.parametrize(("value", "unit", "text"), RENDERED)
def test_an_operand_is_printed_in_its_unit(value, unit, text):
    assert render(value, unit, "en") == text


def test_truth_in_chinese():
    assert (render(True, "", "zh"), render(False, "", "zh")) == ("是", "否")


FACT = {"gpus": 6, "sequence_parallel_size": 4, "gpus_mod_sp": 2}


def test_a_match_is_explained_in_both_languages(book):
    rule = book.ruleset().rule("sp-divides-gpus")
    assert rule.message(FACT, "en", {}) == "6 GPUs are not a multiple of SP=4: 2 left over."
    assert rule.message(FACT, "zh", {}) == "6 个 GPU 不是 SP=4 的整数倍，余 2。"
    assert rule.message(FACT, "fr", {}) == rule.message(FACT, "en", {})


def test_values_are_never_templates(book):
    rule = book.ruleset().rule("offload-is-slow")
    assert rule.message({"label": "{label} {x}"}, "en", {}) == "{label} {x} offloads."


def test_doubled_braces_are_braces(book):
    book.edit("advice/offload-is-slow.yaml", "{label} offloads.", "{{x}} {label}")
    assert book.ruleset().rule("offload-is-slow").message({"label": "a"}, "en", {}) == "{x} a"


def test_a_sentence_needs_its_fields(book):
    with pytest.raises(RuleFailed, match="sp-divides-gpus: the fact lacks gpus, which the explanation names"):
        book.ruleset().rule("sp-divides-gpus").message({}, "en", {})


def test_operands_are_what_a_reader_needs(book):
    ruleset = book.ruleset()
    assert ruleset.rule("sp-divides-gpus").operand_fields == ("gpus_mod_sp", "gpus", "sequence_parallel_size")
    assert ruleset.rule("offload-is-slow").operand_fields == ("cpu_offload", "strategy", "label")


def test_a_rule_s_parts(book):
    limit, advice = book.ruleset().rule("sp-divides-gpus"), book.ruleset().rule("offload-is-slow")
    assert limit.then.summary.en == "SP does not divide the GPUs"
    assert advice.then.severity == "info"
    assert limit.title == {"en": "SP divides the GPUs", "zh": "SP 整除 GPU 数"}
    assert limit.when_text == ("gpus_mod_sp != 0",)
