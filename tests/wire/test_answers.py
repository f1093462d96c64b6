"""Answers as messages and as JSON: nothing is lost, and the bytes are the same everywhere."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict, Parse
from google.protobuf.struct_pb2 import Value
from hypothesis import given, settings
from plans import EXPLANATIONS
from rungwise.catalog.catalog import Catalog
from rungwise.domain.plan import ExplainResponse
from rungwise.domain.request import PlanRequest
from rungwise.planning.knowledge import Knowledge
from rungwise.planning.plan import plan
from rungwise.v1 import plan_pb2, planner_service_pb2
from rungwise.wire import to_proto
from rungwise.wire.to_json import to_json

JOB = PlanRequest.model_validate(
    {
        "model": {"name": "Qwen/Qwen3-8B"},
        "hardware": {"gpu": "a100-80gb", "gpus": 4},
        "workload": {"max_model_len": 20480},
    }
)


def _differences(domain: Any, message: Any, path: str = "") -> list[str]:
    """Return the paths at which a message does not say what the domain value says."""
    if isinstance(message, Value):
        kind = message.WhichOneof("kind")
        if kind == "list_value":
            said: Any = tuple(message.list_value)
        else:
            said = None if kind == "null_value" else getattr(message, kind)
        return [] if said == domain and isinstance(said, bool) == isinstance(domain, bool) else [path]
    names = getattr(domain, "_fields", None) or tuple(getattr(domain, "__dataclass_fields__", ()))
    if names:
        found = []
        for name in names:
            value, place = getattr(domain, name), f"{path}.{name}"
            if value is None and name != "value":
                found += [place] if message.HasField(name) else []
            else:
                found += _differences(value, getattr(message, name), place)
        return found
    if isinstance(domain, StrEnum):
        return [] if getattr(plan_pb2, domain) == message else [path]
    if isinstance(domain, Mapping):
        if domain.keys() != set(message):
            return [path]
        return [d for key in domain for d in _differences(domain[key], message[key], f"{path}[{key}]")]
    if isinstance(domain, tuple):
        if len(domain) != len(message):
            return [path]
        return [
            d
            for i, pair in enumerate(zip(domain, message, strict=True))
            for d in _differences(*pair, f"{path}[{i}]")
        ]
    return [] if domain == message else [path]


@given(EXPLANATIONS)
@settings(max_examples=60, deadline=None)
def test_a_message_says_what_the_domain_says(explanation: ExplainResponse):
    assert _differences(explanation, to_proto.explain_response(explanation)) == []


@given(EXPLANATIONS)
@settings(max_examples=60, deadline=None)
def test_json_is_what_protobuf_writes(explanation: ExplainResponse):
    message = to_proto.explain_response(explanation)
    text = to_json(message)
    assert "\n" not in text
    assert json.loads(text) == MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    assert Parse(text, planner_service_pb2.ExplainResponse()) == message
    assert json.loads(to_json(message, indent=2)) == json.loads(text)


def test_the_json_of_a_plan(knowledge: Knowledge):
    answer = to_proto.plan_response(plan(knowledge, JOB))
    said = json.loads(to_json(answer))
    assert list(said) == [
        field.name
        for field in answer.DESCRIPTOR.fields
        if not field.has_presence or answer.HasField(field.name)
    ]
    assert said["outcome"] == "OUTCOME_FEASIBLE"
    assert said["configuration"]["max_token_len_per_gpu"].isdecimal()
    assert said["configuration"]["cpu_offload"] in (True, False)
    assert said["would_fit_if"] == []
    assert isinstance(said["memory"]["usable_gib"], float)


def test_unset_is_not_zero():
    assert json.loads(to_json(plan_pb2.Memory(usable_gib=80))) == {
        "usable_gib": 80.0,
        "phase": "",
        "components": [],
    }
    assert json.loads(to_json(plan_pb2.Memory(usable_gib=80, host_gib=0)))["host_gib"] == 0.0


@pytest.mark.parametrize(
    ("number", "text"),
    [(float("nan"), "NaN"), (float("inf"), "Infinity"), (float("-inf"), "-Infinity"), (0.1 + 0.2, 0.1 + 0.2)],
)
def test_doubles_are_not_rounded(number: float, text: float | str):
    assert json.loads(to_json(plan_pb2.MemoryComponent(gib=number)))["gib"] == text


def test_a_value_from_a_newer_server_is_a_number():
    message = plan_pb2.TraceEntry()
    message.MergeFromString(b"\x18\x63")
    assert json.loads(to_json(message))["kind"] == 99


_MAP = """
from rungwise.v1 import plan_pb2
from rungwise.wire.to_json import to_json
message = plan_pb2.Configuration(env={f"KEY{n}": str(n) for n in range(50)})
print(to_json(message))
"""


def test_the_bytes_are_the_same_in_every_process():
    texts = {
        subprocess.run(
            [sys.executable, "-c", _MAP],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(texts) == 1
    env = json.loads(texts.pop())["env"]
    assert list(env) == sorted(env)


def test_a_model_of_the_catalog(knowledge: Knowledge):
    known = knowledge.catalog.model("Qwen/Qwen3-8B")
    message = to_proto.model(known, 8_190_735_360, 8_190_735_360)
    assert (message.id, message.parameters, message.source) == (known.id, 8_190_735_360, known.source)
    for field in message.dimensions.DESCRIPTOR.fields:
        if field.name.startswith("num_experts"):
            assert not message.dimensions.HasField(field.name)
        else:
            assert getattr(message.dimensions, field.name) == getattr(known, field.name)


def test_every_gpu_of_the_catalog(knowledge: Knowledge):
    catalog: Catalog = knowledge.catalog
    assert catalog.gpus()
    for known in catalog.gpus():
        message = to_proto.gpu(known)
        for field in message.DESCRIPTOR.fields:
            said, domain = getattr(message, field.name), getattr(known, field.name)
            assert (tuple(said) if field.is_repeated else said) == domain


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_every_rule_of_the_rulebook(knowledge: Knowledge, locale: str):
    assert knowledge.ruleset.rules
    for known in knowledge.ruleset.rules:
        message = to_proto.rule(known, locale)
        assert message.title == known.title[locale]
        assert message.because == known.because[locale]
        assert tuple(message.when) == known.when_text
        assert plan_pb2.RuleKind.Name(message.kind) == f"RULE_KIND_{known.kind.upper()}"
        assert plan_pb2.Confidence.Name(message.confidence) == f"CONFIDENCE_{known.confidence.upper()}"
        assert (message.severity == plan_pb2.SEVERITY_UNSPECIFIED) == (known.kind == "limit")
        for name in ("id", "stage", "rationale", "source", "since"):
            assert getattr(message, name) == getattr(known, name)
