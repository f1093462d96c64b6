"""Requests made concrete: every fault named at once, every default written down."""

from typing import Any

import pytest
from asking import ask
from rungwise.domain.errors import InvalidRequest, NotFound
from rungwise.domain.plan import Outcome
from rungwise.domain.request import PlanRequest
from rungwise.planning.job import resolve, violations
from rungwise.planning.knowledge import Knowledge
from rungwise.planning.plan import plan

FAULTS: list[tuple[dict[str, Any], str, str]] = [
    # request, field, a part of the violation with its way out
    ({"gpus": 6, "hardware": {"gpus_per_node": 4}}, "hardware.gpus", "not a multiple of gpus_per_node 4"),
    ({"gpus": 12}, "hardware.gpus", "not a multiple of gpus_per_node 8, the default"),
    ({"hardware": {"free_gib": 80.5}}, "hardware.free_gib", "more than a100-80gb has"),
    ({"framework": "trinty"}, "workload.framework", "did you mean 'trinity-rft'"),
    ({"framework": "trinity-rft@new"}, "workload.framework", "is not a version"),
    ({"framework": "trinity-rft@"}, "workload.framework", "is not a version"),
    ({"method": "loar"}, "workload.method", "did you mean 'lora'"),
    ({"task": "grpo"}, "workload.task", "known: sft"),
    ({"precision": "bf32"}, "workload.precision", "known: bf16, fp16, fp32"),
    ({"optimizer": "lion"}, "workload.optimizer", "known: adamw"),
    ({"strategy": "fsdp3"}, "workload.strategy", "known: fsdp, fsdp2"),
    ({"lora_rank": 8}, "workload.lora_rank", "method full has no adapters"),
    ({"preferences": {"forbid": ["Offlod"]}}, "preferences.forbid[0]", "did you mean 'cpu_offload'"),
    ({"preferences": {"allow": ["zzz"]}}, "preferences.allow[0]", "known: expandable_segments"),
]


@pytest.mark.parametrize(("case", "field", "part"), FAULTS)
def test_one_fault(knowledge: Knowledge, case: dict[str, Any], field: str, part: str) -> None:
    (found,) = violations(knowledge, ask(**case))
    assert found.field == field
    assert part in f"{found.description}; {found.suggestion}"


def test_all_faults_at_once(knowledge: Knowledge) -> None:
    request = ask(
        "qwen3-9b", "a100", 12, strategy="fsdp3", lora_rank=8, preferences={"forbid": ["x", "Env", "y"]}
    )
    with pytest.raises(InvalidRequest) as error:
        resolve(knowledge, request)
    assert {violation.field for violation in error.value.violations} == {
        "model.name",
        "hardware.gpu",
        "hardware.gpus",
        "workload.strategy",
        "workload.lora_rank",
        "preferences.forbid[0]",
        "preferences.forbid[2]",
    }


@pytest.mark.parametrize(
    ("case", "kind", "nearest"),
    [({"model": "qwen3-8"}, "model", "Qwen/Qwen3-8B"), ({"gpu": "a100"}, "GPU", "a100-80gb")],
)
def test_an_unknown_name_alone_is_not_found(
    knowledge: Knowledge, case: dict[str, str], kind: str, nearest: str
) -> None:
    with pytest.raises(NotFound) as error:
        resolve(knowledge, ask(**case))
    assert error.value.kind == kind
    assert nearest in error.value.suggestions


@pytest.mark.parametrize("model", [{}, {"name": "Qwen/Qwen3-8B", "hf_config_json": "{}"}])
def test_exactly_one_way_to_name_the_model(knowledge: Knowledge, model: dict[str, str]) -> None:
    body = {"model": model, "hardware": {"gpu": "a100-80gb", "gpus": 1}, "workload": {"max_model_len": 1}}
    (found,) = violations(knowledge, PlanRequest.model_validate(body))
    assert found.field == "model"


DEFAULTS: list[tuple[dict[str, str], tuple[str, str, str]]] = [
    # given, framework, method, task
    ({}, ("trinity-rft", "full", "rl")),
    ({"task": "rl"}, ("trinity-rft", "full", "rl")),
    ({"framework": "Trinity-RFT"}, ("trinity-rft", "full", "rl")),
    ({"framework": "trinity-rft@0.5.2"}, ("trinity-rft", "full", "rl")),
    ({"method": "lora"}, ("huggingface", "lora", "sft")),
    ({"method": "full"}, ("huggingface", "full", "sft")),
    ({"task": "dpo"}, ("huggingface", "full", "dpo")),
    ({"framework": "verl"}, ("verl", "full", "rl")),
]


@pytest.mark.parametrize(("given", "expected"), DEFAULTS)
def test_defaults(knowledge: Knowledge, given: dict[str, str], expected: tuple[str, str, str]) -> None:
    job = resolve(knowledge, ask(**given))
    assert (job.framework.id, job.method, job.task) == expected


VERSIONS = [
    # given, versions it is taken as, described
    ("", "0.3.3-0.5.2", True),
    ("@0.3.3", "0.3.3-0.5.2", True),
    ("@0.5.2", "0.3.3-0.5.2", True),
    ("@v0.5.0", "0.3.3-0.5.2", True),
    ("@0.6.0", "0.6.0", True),
    ("@0.7.1", "0.6.0", False),
    ("@0.2", "0.3.3-0.5.2", False),
]


@pytest.mark.parametrize(("version", "taken_as", "described"), VERSIONS)
def test_versions(knowledge: Knowledge, version: str, taken_as: str, described: bool) -> None:
    job = resolve(knowledge, ask(framework=f"trinity-rft{version}"))
    assert job.framework_version is not None
    assert (job.framework_version.id, job.framework_version_known) == (taken_as, described)


UNKNOWN: list[tuple[dict[str, Any], str]] = [
    ({"method": "lora"}, "no ladder for huggingface"),
    ({"framework": "verl"}, "no ladder for verl"),
    ({"optimizer": "sgd"}, "no estimate for optimizer sgd"),
    ({"precision": "fp32"}, "no estimate for precision fp32"),
    ({"model": "Qwen/Qwen3.5-9B"}, "cannot read this architecture"),
    ({"rollout": {"colocated": True}}, "not modelled"),
]


@pytest.mark.parametrize(("case", "missing"), UNKNOWN)
def test_what_is_missing_is_named(knowledge: Knowledge, case: dict[str, Any], missing: str) -> None:
    answer = plan(knowledge, ask(**case))
    assert answer.outcome is Outcome.UNKNOWN
    assert missing in answer.summary
    assert any(missing in assumption for assumption in answer.assumptions)
