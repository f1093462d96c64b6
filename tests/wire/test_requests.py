"""Requests from outside: every fault with its place and the way out, in one error."""

import copy
import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from hypothesis import given, settings
from hypothesis import strategies as st
from rungwise.catalog.json_text import parse_json
from rungwise.domain.errors import FieldViolation, InvalidRequest
from rungwise.domain.request import ExplainRequest, PlanRequest
from rungwise.planning.job import violations
from rungwise.planning.knowledge import Knowledge
from rungwise.v1 import planner_service_pb2
from rungwise.wire.from_proto import to_dict
from rungwise.wire.requests import explain_request, plan_request

JOB = {
    "model": {"name": "Qwen/Qwen3-8B"},
    "hardware": {"gpu": "a100-80gb", "gpus": 4},
    "workload": {"max_model_len": 20480},
}
ABSENT = object()


def _job(**changes: Any) -> dict[str, Any]:
    """Return JOB with fields set by path (`hardware__gpus=0`); ABSENT removes one."""
    job = copy.deepcopy(JOB)
    for path, value in changes.items():
        *parts, name = path.split("__")
        place = job
        for part in parts:
            place = place.setdefault(part, {})
        if value is ABSENT:
            del place[name]
        else:
            place[name] = value
    return job


def _violations(data: Any, further: Any = None) -> list[tuple[str, str, str]]:
    with pytest.raises(InvalidRequest) as caught:
        plan_request(data, further)
    return [(v.field, v.description, v.suggestion) for v in caught.value.violations]


GPUS_RANGE = "from 1 to 65536"
TOKENS_RANGE = "from 1 to 16777216"
MODEL_EXAMPLE = 'for example {"name": "Qwen/Qwen3-8B"}'
ONE_REFERENCE = "needs exactly one of name, hf_config_json and dimensions, has "


@pytest.mark.parametrize(
    ("changes", "field", "description", "suggestion"),
    [
        # numbers
        ({"hardware__gpus": 0}, "hardware.gpus", "must be at least 1, is 0", GPUS_RANGE),
        ({"hardware__gpus": -1}, "hardware.gpus", "must be at least 1, is -1", GPUS_RANGE),
        ({"hardware__gpus": 10**12}, "hardware.gpus", "must be at most 65536, is 1000000000000", GPUS_RANGE),
        (
            {"hardware__gpus": 10**6000},
            "hardware.gpus",
            "must be at most 65536, is an integer beyond 64 bits",
            GPUS_RANGE,
        ),
        (
            {"hardware__gpus": True},
            "hardware.gpus",
            "must be a whole number, is true",
            "write it without fraction and unit",
        ),
        (
            {"hardware__gpus": 2.5},
            "hardware.gpus",
            "must be a whole number, is 2.5",
            "write it without fraction and unit",
        ),
        (
            {"hardware__gpus": "four"},
            "hardware.gpus",
            "must be a whole number, is 'four'",
            "write it without fraction and unit",
        ),
        ({"hardware__gpus": "0"}, "hardware.gpus", "must be at least 1, is 0", GPUS_RANGE),
        (
            {"workload__max_model_len": "4k"},
            "workload.max_model_len",
            "must be a whole number, is '4k'",
            "write it without fraction and unit",
        ),
        (
            {"workload__max_model_len": 16_777_217},
            "workload.max_model_len",
            "must be at most 16777216, is 16777217",
            TOKENS_RANGE,
        ),
        (
            {"workload__max_model_len": 1e300},
            "workload.max_model_len",
            "must be a whole number, is 1e+300",
            "write it without fraction and unit",
        ),
        (
            {"hardware__free_gib": float("nan")},
            "hardware.free_gib",
            "must be a finite number, is nan",
            "above 0 to 1048576",
        ),
        (
            {"hardware__free_gib": 0},
            "hardware.free_gib",
            "must be above 0, is 0",
            "above 0 to 1048576",
        ),
        (
            {"hardware__free_gib": "79.15"},
            "hardware.free_gib",
            "must be a number, is '79.15'",
            "write it without quotation marks",
        ),
        (
            {"preferences__min_fit_probability": 1},
            "preferences.min_fit_probability",
            "must be at most 0.9999, is 1",
            "from 0.001 to 0.9999",
        ),
        (
            {"workload__rollout__gpu_memory_utilization": 1.01},
            "workload.rollout.gpu_memory_utilization",
            "must be at most 1, is 1.01",
            "above 0 to 1",
        ),
        # words
        ({"hardware__gpu": ""}, "hardware.gpu", "is empty", 'for example "a100-80gb"'),
        (
            {"hardware__gpu": 80},
            "hardware.gpu",
            "must be a string, is 80",
            "write it in quotation marks",
        ),
        (
            {"hardware__gpu": "a" * 201},
            "hardware.gpu",
            "has 201 characters",
            "at most 200 are accepted",
        ),
        (
            {"hardware__gpu": "a100\x1b[31m"},
            "hardware.gpu",
            "holds a control character: 'a100\\x1b[31m'",
            "remove it",
        ),
        (
            {"hardware__gpu": "a\ud800"},
            "hardware.gpu",
            "is not valid Unicode",
            "remove the lone surrogates",
        ),
        (
            {"hardware__interconnect": "infinband"},
            "hardware.interconnect",
            "unknown value 'infinband'",
            "did you mean 'infiniband'?",
        ),
        (
            {"preferences__objective": "best"},
            "preferences.objective",
            "unknown value 'best'",
            "known: first",
        ),
        (
            {"preferences__trace_level": 3},
            "preferences.trace_level",
            "unknown value 3",
            "known: TRACE_LEVEL_UNSPECIFIED, TRACE_LEVEL_SUMMARY, TRACE_LEVEL_REJECTIONS, TRACE_LEVEL_FULL",
        ),
        (
            {"workload__software__torch": "latest"},
            "workload.software.torch",
            "'latest' is not a version",
            'for example "2.7.1"',
        ),
        (
            {"workload__packing": "yes"},
            "workload.packing",
            "must be true or false, is 'yes'",
            "write it without quotation marks",
        ),
        ({"request_id": "a\nb"}, "request_id", "holds a control character: 'a\\nb'", "remove it"),
        # objects and lists
        (
            {"workload__software": "torch"},
            "workload.software",
            "must be an object, is 'torch'",
            "an object with torch, transformers, vllm",
        ),
        (
            {"preferences__forbid": "cpu_offload"},
            "preferences.forbid",
            "must be a list, is 'cpu_offload'",
            "put it in [ ]",
        ),
        (
            {"preferences__forbid": ["cpu_offload", None]},
            "preferences.forbid[1]",
            "must be a string, is null",
            "write it in quotation marks",
        ),
        (
            {"preferences__allow": ["x"] * 65},
            "preferences.allow",
            "has more than 64 entries",
            "at most 64",
        ),
        # what is missing
        ({"hardware": ABSENT}, "hardware", "is missing", 'for example {"gpu": "a100-80gb", "gpus": 4}'),
        ({"hardware": None}, "hardware", "is missing", 'for example {"gpu": "a100-80gb", "gpus": 4}'),
        ({"hardware__gpu": ABSENT}, "hardware.gpu", "is missing", 'for example "a100-80gb"'),
        ({"hardware__gpus": None}, "hardware.gpus", "is missing", "for example 4"),
        ({"workload": {}}, "workload.max_model_len", "is missing", "for example 20480"),
        # what is too much
        (
            {"hardware__gpu_count": 4},
            "hardware.gpu_count",
            "unknown field",
            "did you mean 'cpu_cores'?",
        ),
        (
            {"workload__maxModelLen": 4},
            "workload.maxModelLen",
            "unknown field",
            "did you mean 'max_model_len'?",
        ),
        (
            {"seed": 1},
            "seed",
            "unknown field",
            "known: request_id, model, hardware, workload, preferences",
        ),
        # the model
        ({"model": ABSENT}, "model", "is missing", MODEL_EXAMPLE),
        ({"model": {}}, "model", ONE_REFERENCE + "none", MODEL_EXAMPLE),
        ({"model": {"name": None}}, "model", ONE_REFERENCE + "none", MODEL_EXAMPLE),
        (
            {"model": {"name": "a", "hf_config_json": "{}"}},
            "model",
            ONE_REFERENCE + "name, hf_config_json",
            MODEL_EXAMPLE,
        ),
        (
            {"model": "Qwen/Qwen3-8B"},
            "model",
            "must be an object, is 'Qwen/Qwen3-8B'",
            "an object with name, hf_config_json, dimensions",
        ),
    ],
)
def test_each_fault_has_a_place_and_a_way_out(
    changes: dict[str, Any], field: str, description: str, suggestion: str
):
    assert _violations(_job(**changes)) == [(field, description, suggestion)]


@pytest.mark.parametrize(
    ("data", "shown"),
    [([], "a list"), (None, "null"), ("{}", "'{}'"), (1, "1"), (True, "true")],
)
def test_a_request_is_an_object(data: Any, shown: str):
    fields = "an object with request_id, model, hardware, workload, preferences"
    assert _violations(data) == [("", f"must be an object, is {shown}", fields)]


def test_all_faults_are_told_together(knowledge: Knowledge):
    job = _job(
        model__name="Qwen/Qwen3-9B",
        hardware__gpus=-1,
        hardware__gpu="a100-81gb",
        workload__method="lorra",
        workload__nodes=2,
        preferences__forbid=["Offlod", ""],
    )
    found = _violations(job, partial(violations, knowledge))
    assert [(field, description) for field, description, _ in found] == [
        ("workload.nodes", "unknown field"),
        ("hardware.gpus", "must be at least 1, is -1"),
        ("preferences.forbid[1]", "is empty"),
        ("workload.method", "unknown value 'lorra'"),
        ("preferences.forbid[0]", "unknown measure 'Offlod'"),
        ("model.name", "unknown model 'Qwen/Qwen3-9B'"),
        ("hardware.gpu", "unknown GPU 'a100-81gb'"),
    ]
    assert all(suggestion for _, _, suggestion in found)


@pytest.mark.parametrize(
    "changes",
    [
        # 12 is no multiple of 8, the default; but the caller meant something else.
        {"hardware__gpus": 12, "hardware__gpus_per_node": "six"},
        {"hardware__gpus": -1, "hardware__gpus_per_node": 8},
        # 100 GiB are too many for some GPUs; this one is not known.
        {"hardware__gpu": "", "hardware__free_gib": 100},
        # A rank suits some methods; this one is not known.
        {"workload__method": 7, "workload__lora_rank": 8},
        {"workload__framework": "", "workload__lora_rank": 8},
        {"model": {"dimensions": {"hidden_size": 64}, "name": "Qwen/Qwen3-9B"}},
        {"workload": []},
        {"hardware": [], "preferences": "zh"},
        {"hardware__gpus[3]": 1},
    ],
)
def test_a_fault_is_not_told_twice(knowledge: Knowledge, changes: dict[str, Any]):
    alone = _violations(_job(**changes))
    assert _violations(_job(**changes), partial(violations, knowledge)) == alone


def test_the_catalog_is_asked_only_when_there_are_other_faults():
    def never(_: PlanRequest) -> list[FieldViolation]:
        raise AssertionError("asked")

    assert plan_request(_job(), never).hardware.gpus == 4


def test_not_every_fault_of_many_is_told():
    job = _job(**{f"hardware__a{number}": 1 for number in range(1000)}, workload__max_model_len=0)
    found = _violations(job)
    assert len(found) == 51
    assert found[-1] == ("", "and 1 more faults", "correct these first")


def test_protobuf_json_spellings_are_read():
    request = plan_request(
        _job(
            workload__max_model_len="20480",
            hardware__gpus="4",
            hardware__gpus_per_node=4.0,
            hardware__free_gib=79,
            workload__lora_rank=None,
            preferences__trace_level="TRACE_LEVEL_SUMMARY",
            preferences__forbid=["cpu_offload"],
        )
    )
    assert (request.workload.max_model_len, request.hardware.gpus, request.hardware.gpus_per_node) == (
        20480,
        4,
        4,
    )
    assert request.hardware.free_gib == 79.0
    assert request.workload.lora_rank is None
    assert request.preferences.forbid == ("cpu_offload",)


def test_an_explain_request_holds_a_plan_request_and_labels():
    request = explain_request({"plan": _job(), "why_not": ["Env + SP=2"]})
    assert request == ExplainRequest(plan=plan_request(_job()), why_not=("Env + SP=2",))


@pytest.mark.parametrize(
    ("data", "fields"),
    [
        ({}, ["plan"]),
        ({"plan": []}, ["plan"]),
        ([], [""]),
        ({"plan": _job(hardware__gpus=0), "why_not": ["", 3]}, ["hardware.gpus", "why_not[0]", "why_not[1]"]),
        ({"plan": _job(hardware__nodes=1), "whynot": []}, ["hardware.nodes", "whynot"]),
        ({"plan": _job(model={}), "why_not": "Env"}, ["why_not", "model"]),
        ({"plan": _job(model__name="Qwen/Qwen3-9B"), "why_not": [1]}, ["why_not[0]", "model.name"]),
    ],
)
def test_the_faults_of_an_explain_request(knowledge: Knowledge, data: Any, fields: list[str]):
    with pytest.raises(InvalidRequest) as caught:
        explain_request(data, partial(violations, knowledge))
    assert [v.field for v in caught.value.violations] == fields


def test_the_contract_and_the_domain_have_the_same_fields():
    def names(message: Any, model: Any) -> None:
        fields = {field.name: field for field in message.fields}
        assert sorted(fields) == sorted(model.model_fields)
        for name, field in fields.items():
            kinds = [
                model.model_fields[name].annotation,
                *getattr(model.model_fields[name].annotation, "__args__", ()),
            ]
            inner = next((kind for kind in kinds if hasattr(kind, "model_fields")), None)
            assert (field.message_type is None) == (inner is None)
            if inner is not None:
                names(field.message_type, inner)

    names(planner_service_pb2.ExplainRequest.DESCRIPTOR, ExplainRequest)


WORDS = st.sampled_from(
    ["", "a100-80gb", "Qwen/Qwen3-8B", "rl", "zh", "2.7.1", "\x00", "\ud800", "4", "x" * 300]
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.sampled_from([-1, 0, 1, 4, 20480, 2**31, 2**53, 2**63 - 1, 10**30])
    | st.floats()
    | WORDS
)
KEYS = st.sampled_from(
    [field.name for message in (planner_service_pb2.PlanRequest.DESCRIPTOR,) for field in message.fields]
    + [
        field.name
        for part in planner_service_pb2.PlanRequest.DESCRIPTOR.fields
        if part.message_type
        for field in part.message_type.fields
    ]
    + ["maxModelLen", "", "a.b", "a[1]", "\x1b", "\ud800"]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=20,
)
HALF_SOUND = st.fixed_dictionaries(
    {
        part: st.dictionaries(st.sampled_from([f.name for f in message.fields]), VALUES, max_size=5) | VALUES
        for part, message in (
            (field.name, field.message_type)
            for field in planner_service_pb2.PlanRequest.DESCRIPTOR.fields
            if field.message_type
        )
    }
)


def _outcome(read: Callable[..., Any], *arguments: Any) -> str:
    """Return the name of what `read` gives or raises; a violation without words is an outcome of its own."""
    try:
        return type(read(*arguments)).__name__
    except InvalidRequest as error:
        told = error.violations and all(violation.description for violation in error.violations)
        return "InvalidRequest" if told else "nothing told"


@given(VALUES | HALF_SOUND)
@settings(max_examples=300, deadline=None)
def test_any_json_is_a_request_or_an_invalid_request(knowledge: Knowledge, data: Any):
    text = json.dumps(data)
    further = partial(violations, knowledge)
    started = time.process_time()
    outcome = _outcome(lambda: plan_request(parse_json(text), further))
    assert outcome in ("PlanRequest", "InvalidRequest")
    assert time.process_time() - started < 1


@given(VALUES | HALF_SOUND | st.dictionaries(st.integers() | st.none(), SCALARS))
@settings(max_examples=300, deadline=None)
def test_any_python_value_is_a_request_or_an_invalid_request(data: Any):
    assert _outcome(plan_request, data) in ("PlanRequest", "InvalidRequest")


COUNTS = st.integers(1, 65_536)
SOUND = st.fixed_dictionaries(
    {
        "model": st.fixed_dictionaries({"name": st.sampled_from(["Qwen/Qwen3-8B", "qwen3-4b"])}),
        "hardware": st.fixed_dictionaries(
            {"gpu": st.sampled_from(["a100-80gb", "h20-96gb"]), "gpus": COUNTS},
            optional={
                "gpus_per_node": st.integers(1, 1024),
                "free_gib": st.floats(0.5, 1000),
                "cpu_cores": COUNTS,
                "interconnect": st.sampled_from(["infiniband", "roce", "ethernet"]),
            },
        ),
        "workload": st.fixed_dictionaries(
            {"max_model_len": st.integers(1, 16_777_216)},
            optional={
                "packing": st.booleans(),
                "software": st.fixed_dictionaries({}, optional={"torch": st.just("2.7.1")}),
                "rollout": st.fixed_dictionaries(
                    {}, optional={"engines": COUNTS, "colocated": st.booleans()}
                ),
            },
        ),
    },
    optional={
        "request_id": st.text("ab-7", min_size=1, max_size=8),
        "preferences": st.fixed_dictionaries(
            {},
            optional={
                "forbid": st.lists(st.sampled_from(["cpu_offload", "Offload"]), min_size=1, max_size=3),
                "trace_level": st.sampled_from(["TRACE_LEVEL_SUMMARY", "TRACE_LEVEL_FULL"]),
                "min_fit_probability": st.floats(0.01, 0.99),
            },
        ),
    },
)


@given(SOUND)
@settings(deadline=None)
def test_json_and_protobuf_ask_the_same(data: dict[str, Any]):
    message = ParseDict(data, planner_service_pb2.PlanRequest())
    assert to_dict(message) == data
    assert plan_request(to_dict(message)) == plan_request(data) == plan_request(parse_json(json.dumps(data)))


def _any_message(message: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Return JSON forms of `message`: any field may be there, with any value of its type, 0 and "" included."""

    def value(field: Any) -> st.SearchStrategy[Any]:
        if field.message_type:
            one = _any_message(field.message_type)
        elif field.enum_type:
            one = st.sampled_from(list(field.enum_type.values_by_name))
        else:
            one = {
                field.CPPTYPE_INT32: st.integers(-(2**31), 2**31 - 1),
                field.CPPTYPE_INT64: st.integers(-(2**63), 2**63 - 1),
                field.CPPTYPE_DOUBLE: st.floats(allow_nan=False, allow_infinity=False),
                field.CPPTYPE_BOOL: st.booleans(),
                field.CPPTYPE_STRING: st.text(max_size=5),
            }[field.cpp_type]
        return st.lists(one, max_size=2) if field.is_repeated else one

    exclusive = [field for oneof in message.oneofs for field in oneof.fields if len(oneof.fields) > 1]
    if exclusive:
        return st.one_of(*(st.fixed_dictionaries({f.name: value(f)}) for f in exclusive))
    return st.fixed_dictionaries({}, optional={field.name: value(field) for field in message.fields})


@given(_any_message(planner_service_pb2.ExplainRequest.DESCRIPTOR))
@settings(deadline=None)
def test_a_message_comes_back_from_its_plain_values(data: dict[str, Any]):
    message = ParseDict(data, planner_service_pb2.ExplainRequest())
    assert ParseDict(to_dict(message), planner_service_pb2.ExplainRequest()) == message
    assert _outcome(explain_request, to_dict(message)) in ("ExplainRequest", "InvalidRequest")


def test_required_numbers_that_are_not_set_are_passed_as_zero():
    message = ParseDict({"hardware": {"gpu": "a100-80gb"}, "workload": {}}, planner_service_pb2.PlanRequest())
    assert to_dict(message) == {
        "hardware": {"gpu": "a100-80gb", "gpus": 0},
        "workload": {"max_model_len": 0},
    }
    assert [(field, description) for field, description, _ in _violations(to_dict(message))] == [
        ("model", "is missing"),
        ("hardware.gpus", "must be at least 1, is 0"),
        ("workload.max_model_len", "must be at least 1, is 0"),
    ]


def test_an_optional_zero_is_not_unset():
    message = planner_service_pb2.PlanRequest()
    message.hardware.gpus_per_node = 0
    assert to_dict(message) == {"hardware": {"gpus": 0, "gpus_per_node": 0}}


def test_an_enum_number_from_a_newer_client_is_a_violation():
    message = ParseDict(_job(), planner_service_pb2.PlanRequest())
    message.preferences.trace_level = 99
    assert _violations(to_dict(message))[0][:2] == ("preferences.trace_level", "unknown value 99")
