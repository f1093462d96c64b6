"""Faults that were found once, each with the right answer."""

import time
from pathlib import Path
from typing import Any

import pytest
from asking import ask
from pydantic import ValidationError
from rungwise.domain.errors import InvalidRulebook
from rungwise.domain.plan import Outcome
from rungwise.domain.request import ExplainRequest, PlanRequest
from rungwise.planning.explain import explain
from rungwise.planning.job import resolve, violations
from rungwise.planning.knowledge import Knowledge, load_knowledge
from rungwise.planning.plan import plan


@pytest.mark.parametrize("probability", [0, 1e-9, 0.00099, 0.99991, 1])
def test_a_probability_that_could_not_be_told_apart_is_refused(probability: float) -> None:
    with pytest.raises(ValidationError):
        ask(preferences={"min_fit_probability": probability})


def test_nothing_fits_a_card_without_memory(knowledge: Knowledge) -> None:
    request = ask(hardware={"free_gib": 0.01}, preferences={"min_fit_probability": 0.001})
    assert plan(knowledge, request).outcome is Outcome.INFEASIBLE


def test_a_measure_is_not_both_allowed_and_forbidden(knowledge: Knowledge) -> None:
    both = {"allow": ["sequence_parallel_across_nodes"], "forbid": ["sp-across-nodes"]}
    (found,) = violations(knowledge, ask(gpus=16, preferences=both))
    assert (found.field, "both allowed and forbidden" in found.description) == ("preferences.forbid", True)


@pytest.mark.parametrize("gpus", [55_440, 65_536, 50_400])
def test_many_divisors_cost_no_more_than_few(knowledge: Knowledge, gpus: int) -> None:
    request = ask(
        gpus=gpus,
        max_model_len=16_777_216,
        hardware={"host_memory_gib": 1.0, "gpus_per_node": 840 if gpus == 50_400 else 8},
        preferences={"allow": ["extended"], "forbid": ["SP", "Offload"]},
        train_batch_size=7,
    )
    begun = time.process_time()
    explain(knowledge, ExplainRequest(plan=request))
    assert time.process_time() - begun < 10


@pytest.mark.parametrize("version", ["99999999999999", "0.5.2garbage", "0.5.2@1", "0.5.2-", ""])
def test_what_is_no_version_is_refused(knowledge: Knowledge, version: str) -> None:
    (found,) = violations(knowledge, ask(framework=f"trinity-rft@{version}"))
    assert found.field == "workload.framework"


@pytest.mark.parametrize("version", ["0", "0.0.0", "9999.9999.9999", "0.5.2.dev1+g12ab"])
def test_an_odd_version_is_one(knowledge: Knowledge, version: str) -> None:
    assert violations(knowledge, ask(framework=f"trinity-rft@{version}")) == ()
    plan(knowledge, ask(framework=f"trinity-rft@{version}"))


DIMENSIONS: dict[str, Any] = {
    "model_type": "qwen3",
    "num_hidden_layers": 36,
    "hidden_size": 2560,
    "intermediate_size": 9728,
    "num_attention_heads": 32,
    "vocab_size": 151_936,
}


def test_dimensions_have_the_contract_s_defaults(knowledge: Knowledge) -> None:
    body = {
        "model": {"dimensions": DIMENSIONS},
        "hardware": {"gpu": "a100-80gb", "gpus": 4},
        "workload": {"max_model_len": 4_096},
    }
    model = resolve(knowledge, PlanRequest.model_validate(body)).model
    assert (model.num_key_value_heads, model.head_dim, model.tie_word_embeddings) == (32, 80, False)


def test_a_measure_forbidden_twice_is_offered(knowledge: Knowledge) -> None:
    request = ask(max_model_len=60_000, preferences={"forbid": ["offload", "cpu_offload"]})
    offers = [o for o in plan(knowledge, request).would_fit_if if o.changes[0].field == "preferences.forbid"]
    assert [offer.changes[0].value for offer in offers] == [()]


def test_everything_forbidden_has_a_way_out(knowledge: Knowledge) -> None:
    request = ask("Qwen/Qwen3-14B", max_model_len=40_960, preferences={"forbid": ["Env", "SP", "Offload"]})
    offers = [o for o in plan(knowledge, request).would_fit_if if o.changes[0].field == "preferences.forbid"]
    assert [offer.changes[0].value for offer in offers] == [()]


def test_a_token_budget_that_is_too_small_may_be_raised(knowledge: Knowledge) -> None:
    request = ask("Qwen/Qwen3-14B", max_model_len=140_000, max_token_len_per_gpu=20_000)
    raised = [
        offer.changes[0].value
        for offer in plan(knowledge, request).would_fit_if
        if offer.changes[0].field == "workload.max_token_len_per_gpu"
    ]
    assert 35_000 in raised


FILES = [
    ("catalog/gpu.yaml", "schema_version: 1\nnonsense: 1\n", "no part of the rulebook reads this file"),
    ("evidence/acme.foo.csv", "gpu\n", "no part of the rulebook reads this file"),
    (
        "catalog/measures.yaml",
        "schema_version: 1\nmeasures:\n  - {id: acme, label: A, effect: systems_only, "
        "env: {'A=1; B': x}, title: {en: a, zh: b}, source: s}\n",
        "match pattern",
    ),
]


@pytest.mark.parametrize(("path", "text", "part"), FILES)
def test_a_file_that_would_fail_later_is_refused_when_loaded(
    tmp_path: Path, path: str, text: str, part: str
) -> None:
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidRulebook, match=part):
        load_knowledge([tmp_path])


def test_a_rule_of_thousands_of_conditions_is_refused(tmp_path: Path) -> None:
    rule = Path(__file__).parents[2] / "rules" / "rungwise" / "rulebook" / "limits" / "sp-divides-gpus.yaml"
    conditions = "".join(f"  - gpus != {n}\n" for n in range(5_000))
    text = rule.read_text(encoding="utf-8").replace("  - gpus_mod_sp != 0\n", conditions)
    folder = tmp_path / "limits"
    folder.mkdir()
    (folder / "acme.many.yaml").write_text(
        text.replace("id: sp-divides-gpus", "id: acme.many"), encoding="utf-8"
    )
    with pytest.raises(InvalidRulebook, match="at most 64"):
        load_knowledge([tmp_path])
