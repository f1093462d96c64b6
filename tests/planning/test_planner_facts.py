"""What the planner tells the rules of any job is what facts.yaml promises: every field, its type, its values."""

from typing import Any

import pytest
from asking import ask
from hypothesis import given, settings
from jobs import jobs, request
from rungwise.engine.facts import Fact
from rungwise.planning.advise import advice_fact
from rungwise.planning.candidate import legality_facts, memory_facts
from rungwise.planning.decision import decide
from rungwise.planning.job import Job, resolve
from rungwise.planning.knowledge import Knowledge


def facts(knowledge: Knowledge, job: Job) -> dict[str, list[Fact]]:
    """Return every fact that a job's decision makes, by stage."""
    decision = decide(knowledge, job)
    judged = [(a.candidate, a.stage.verdict) for a in decision.assessments if a.stage]
    return {
        "legality": legality_facts(job, [a.candidate for a in decision.assessments]),
        "memory": memory_facts(job, judged),
        "advice": [advice_fact(decision)],
    }


def faults(knowledge: Knowledge, job: Job) -> list[str]:
    told = facts(knowledge, job)
    schema = knowledge.ruleset.schema.stages
    assert told.keys() == schema.keys()
    found = []
    for stage, fields in schema.items():
        for fact in told[stage]:
            if fact.keys() != fields.keys():
                found.append(f"{stage}: {sorted(fact.keys() ^ fields.keys())}")
            found += [fault for name, field in fields.items() if (fault := field.fault(fact.get(name)))]
    return found


@settings(max_examples=60)
@given(data=jobs())
def test_any_job_of_the_ladder(knowledge: Knowledge, data: dict[str, Any]) -> None:
    assert faults(knowledge, resolve(knowledge, request(data))) == []


EVERY_KIND: list[dict[str, Any]] = [
    {"gpu": gpu, "model": model}
    for gpu in ("a100-80gb", "mi300x-192gb", "ascend-910b-64gb")
    for model in ("Qwen/Qwen3-8B", "Qwen/Qwen3.5-9B", "deepseek-ai/DeepSeek-V3")
]
EVERY_KIND += [
    {"method": "lora"},
    {"task": "dpo"},
    {"framework": "verl"},
    {"optimizer": "muon"},
    {"precision": "fp16"},
    {"gpus": 16, "preferences": {"allow": ["extended"]}},
    {"software": {"torch": "2.10.0.dev20250101+cu128", "transformers": "4.56.0"}},
    {"hardware": {"host_memory_gib": 1_048_576.0, "cpu_cores": 65_536}},
    {"max_model_len": 16_777_216, "max_token_len_per_gpu": 16_777_216},
]


@pytest.mark.parametrize("case", EVERY_KIND, ids=str)
def test_any_kind_of_job(knowledge: Knowledge, case: dict[str, Any]) -> None:
    assert faults(knowledge, resolve(knowledge, ask(**case))) == []


def test_every_model_and_gpu_of_the_catalog(knowledge: Knowledge) -> None:
    models, gpus = knowledge.catalog.models(), knowledge.catalog.gpus()
    for index in range(max(len(models), len(gpus))):
        model, gpu = models[index % len(models)], gpus[index % len(gpus)]
        assert faults(knowledge, resolve(knowledge, ask(model.id, gpu.id))) == [], (model.id, gpu.id)
