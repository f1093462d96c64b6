from rungwise.v1 import plan_pb2 as _plan_pb2
from rungwise.v1 import request_pb2 as _request_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PlanRequest(_message.Message):
    __slots__ = ("request_id", "model", "hardware", "workload", "preferences")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    HARDWARE_FIELD_NUMBER: _ClassVar[int]
    WORKLOAD_FIELD_NUMBER: _ClassVar[int]
    PREFERENCES_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    model: _request_pb2.ModelReference
    hardware: _request_pb2.Hardware
    workload: _request_pb2.Workload
    preferences: _request_pb2.Preferences
    def __init__(self, request_id: _Optional[str] = ..., model: _Optional[_Union[_request_pb2.ModelReference, _Mapping]] = ..., hardware: _Optional[_Union[_request_pb2.Hardware, _Mapping]] = ..., workload: _Optional[_Union[_request_pb2.Workload, _Mapping]] = ..., preferences: _Optional[_Union[_request_pb2.Preferences, _Mapping]] = ...) -> None: ...

class PlanResponse(_message.Message):
    __slots__ = ("decision_id", "rulebook_revision", "planner_version", "outcome", "configuration", "memory", "basis", "fit_probability", "trace", "advice", "would_fit_if", "assumptions", "summary")
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    RULEBOOK_REVISION_FIELD_NUMBER: _ClassVar[int]
    PLANNER_VERSION_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    CONFIGURATION_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    BASIS_FIELD_NUMBER: _ClassVar[int]
    FIT_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    ADVICE_FIELD_NUMBER: _ClassVar[int]
    WOULD_FIT_IF_FIELD_NUMBER: _ClassVar[int]
    ASSUMPTIONS_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    decision_id: str
    rulebook_revision: str
    planner_version: str
    outcome: _plan_pb2.Outcome
    configuration: _plan_pb2.Configuration
    memory: _plan_pb2.Memory
    basis: _plan_pb2.Basis
    fit_probability: float
    trace: _containers.RepeatedCompositeFieldContainer[_plan_pb2.TraceEntry]
    advice: _containers.RepeatedCompositeFieldContainer[_plan_pb2.Advice]
    would_fit_if: _containers.RepeatedCompositeFieldContainer[_plan_pb2.WouldFitIf]
    assumptions: _containers.RepeatedScalarFieldContainer[str]
    summary: str
    def __init__(self, decision_id: _Optional[str] = ..., rulebook_revision: _Optional[str] = ..., planner_version: _Optional[str] = ..., outcome: _Optional[_Union[_plan_pb2.Outcome, str]] = ..., configuration: _Optional[_Union[_plan_pb2.Configuration, _Mapping]] = ..., memory: _Optional[_Union[_plan_pb2.Memory, _Mapping]] = ..., basis: _Optional[_Union[_plan_pb2.Basis, str]] = ..., fit_probability: _Optional[float] = ..., trace: _Optional[_Iterable[_Union[_plan_pb2.TraceEntry, _Mapping]]] = ..., advice: _Optional[_Iterable[_Union[_plan_pb2.Advice, _Mapping]]] = ..., would_fit_if: _Optional[_Iterable[_Union[_plan_pb2.WouldFitIf, _Mapping]]] = ..., assumptions: _Optional[_Iterable[str]] = ..., summary: _Optional[str] = ...) -> None: ...

class ExplainRequest(_message.Message):
    __slots__ = ("plan", "why_not")
    PLAN_FIELD_NUMBER: _ClassVar[int]
    WHY_NOT_FIELD_NUMBER: _ClassVar[int]
    plan: PlanRequest
    why_not: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, plan: _Optional[_Union[PlanRequest, _Mapping]] = ..., why_not: _Optional[_Iterable[str]] = ...) -> None: ...

class ExplainResponse(_message.Message):
    __slots__ = ("plan", "why_not", "turning_points")
    PLAN_FIELD_NUMBER: _ClassVar[int]
    WHY_NOT_FIELD_NUMBER: _ClassVar[int]
    TURNING_POINTS_FIELD_NUMBER: _ClassVar[int]
    plan: PlanResponse
    why_not: _containers.RepeatedCompositeFieldContainer[_plan_pb2.WhyNot]
    turning_points: _containers.RepeatedCompositeFieldContainer[_plan_pb2.TurningPoint]
    def __init__(self, plan: _Optional[_Union[PlanResponse, _Mapping]] = ..., why_not: _Optional[_Iterable[_Union[_plan_pb2.WhyNot, _Mapping]]] = ..., turning_points: _Optional[_Iterable[_Union[_plan_pb2.TurningPoint, _Mapping]]] = ...) -> None: ...
