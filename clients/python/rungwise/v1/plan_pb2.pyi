from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Outcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OUTCOME_UNSPECIFIED: _ClassVar[Outcome]
    OUTCOME_FEASIBLE: _ClassVar[Outcome]
    OUTCOME_INFEASIBLE: _ClassVar[Outcome]
    OUTCOME_UNKNOWN: _ClassVar[Outcome]

class Basis(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    BASIS_UNSPECIFIED: _ClassVar[Basis]
    BASIS_PUBLISHED: _ClassVar[Basis]
    BASIS_BRACKETED: _ClassVar[Basis]
    BASIS_CALIBRATED: _ClassVar[Basis]
    BASIS_EXTRAPOLATED: _ClassVar[Basis]
    BASIS_UNKNOWN: _ClassVar[Basis]

class Verdict(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VERDICT_UNSPECIFIED: _ClassVar[Verdict]
    VERDICT_PASS: _ClassVar[Verdict]
    VERDICT_REJECT: _ClassVar[Verdict]
    VERDICT_NOT_EVALUATED: _ClassVar[Verdict]

class RuleKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RULE_KIND_UNSPECIFIED: _ClassVar[RuleKind]
    RULE_KIND_LIMIT: _ClassVar[RuleKind]
    RULE_KIND_ADVICE: _ClassVar[RuleKind]
    RULE_KIND_EVIDENCE: _ClassVar[RuleKind]
    RULE_KIND_DIAGNOSIS: _ClassVar[RuleKind]
    RULE_KIND_SIZING: _ClassVar[RuleKind]

class Severity(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SEVERITY_UNSPECIFIED: _ClassVar[Severity]
    SEVERITY_INFO: _ClassVar[Severity]
    SEVERITY_WARNING: _ClassVar[Severity]
    SEVERITY_CRITICAL: _ClassVar[Severity]

class Confidence(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONFIDENCE_UNSPECIFIED: _ClassVar[Confidence]
    CONFIDENCE_LOW: _ClassVar[Confidence]
    CONFIDENCE_MEDIUM: _ClassVar[Confidence]
    CONFIDENCE_HIGH: _ClassVar[Confidence]
OUTCOME_UNSPECIFIED: Outcome
OUTCOME_FEASIBLE: Outcome
OUTCOME_INFEASIBLE: Outcome
OUTCOME_UNKNOWN: Outcome
BASIS_UNSPECIFIED: Basis
BASIS_PUBLISHED: Basis
BASIS_BRACKETED: Basis
BASIS_CALIBRATED: Basis
BASIS_EXTRAPOLATED: Basis
BASIS_UNKNOWN: Basis
VERDICT_UNSPECIFIED: Verdict
VERDICT_PASS: Verdict
VERDICT_REJECT: Verdict
VERDICT_NOT_EVALUATED: Verdict
RULE_KIND_UNSPECIFIED: RuleKind
RULE_KIND_LIMIT: RuleKind
RULE_KIND_ADVICE: RuleKind
RULE_KIND_EVIDENCE: RuleKind
RULE_KIND_DIAGNOSIS: RuleKind
RULE_KIND_SIZING: RuleKind
SEVERITY_UNSPECIFIED: Severity
SEVERITY_INFO: Severity
SEVERITY_WARNING: Severity
SEVERITY_CRITICAL: Severity
CONFIDENCE_UNSPECIFIED: Confidence
CONFIDENCE_LOW: Confidence
CONFIDENCE_MEDIUM: Confidence
CONFIDENCE_HIGH: Confidence

class RopeScaling(_message.Message):
    __slots__ = ("rope_type", "factor", "original_max_position_embeddings", "max_position_embeddings")
    ROPE_TYPE_FIELD_NUMBER: _ClassVar[int]
    FACTOR_FIELD_NUMBER: _ClassVar[int]
    ORIGINAL_MAX_POSITION_EMBEDDINGS_FIELD_NUMBER: _ClassVar[int]
    MAX_POSITION_EMBEDDINGS_FIELD_NUMBER: _ClassVar[int]
    rope_type: str
    factor: float
    original_max_position_embeddings: int
    max_position_embeddings: int
    def __init__(self, rope_type: _Optional[str] = ..., factor: _Optional[float] = ..., original_max_position_embeddings: _Optional[int] = ..., max_position_embeddings: _Optional[int] = ...) -> None: ...

class Configuration(_message.Message):
    __slots__ = ("label", "measures", "env", "sequence_parallel_size", "cpu_offload", "max_token_len_per_gpu", "rope_scaling", "strategy")
    class EnvEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    LABEL_FIELD_NUMBER: _ClassVar[int]
    MEASURES_FIELD_NUMBER: _ClassVar[int]
    ENV_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_PARALLEL_SIZE_FIELD_NUMBER: _ClassVar[int]
    CPU_OFFLOAD_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKEN_LEN_PER_GPU_FIELD_NUMBER: _ClassVar[int]
    ROPE_SCALING_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    label: str
    measures: _containers.RepeatedScalarFieldContainer[str]
    env: _containers.ScalarMap[str, str]
    sequence_parallel_size: int
    cpu_offload: bool
    max_token_len_per_gpu: int
    rope_scaling: RopeScaling
    strategy: str
    def __init__(self, label: _Optional[str] = ..., measures: _Optional[_Iterable[str]] = ..., env: _Optional[_Mapping[str, str]] = ..., sequence_parallel_size: _Optional[int] = ..., cpu_offload: bool = ..., max_token_len_per_gpu: _Optional[int] = ..., rope_scaling: _Optional[_Union[RopeScaling, _Mapping]] = ..., strategy: _Optional[str] = ...) -> None: ...

class MemoryComponent(_message.Message):
    __slots__ = ("name", "gib", "formula")
    NAME_FIELD_NUMBER: _ClassVar[int]
    GIB_FIELD_NUMBER: _ClassVar[int]
    FORMULA_FIELD_NUMBER: _ClassVar[int]
    name: str
    gib: float
    formula: str
    def __init__(self, name: _Optional[str] = ..., gib: _Optional[float] = ..., formula: _Optional[str] = ...) -> None: ...

class MemoryReadings(_message.Message):
    __slots__ = ("allocated_gib", "reserved_gib", "nvidia_smi_gib")
    ALLOCATED_GIB_FIELD_NUMBER: _ClassVar[int]
    RESERVED_GIB_FIELD_NUMBER: _ClassVar[int]
    NVIDIA_SMI_GIB_FIELD_NUMBER: _ClassVar[int]
    allocated_gib: float
    reserved_gib: float
    nvidia_smi_gib: float
    def __init__(self, allocated_gib: _Optional[float] = ..., reserved_gib: _Optional[float] = ..., nvidia_smi_gib: _Optional[float] = ...) -> None: ...

class Memory(_message.Message):
    __slots__ = ("usable_gib", "peak_gib", "phase", "components", "readings", "host_gib", "spread_gib")
    USABLE_GIB_FIELD_NUMBER: _ClassVar[int]
    PEAK_GIB_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    COMPONENTS_FIELD_NUMBER: _ClassVar[int]
    READINGS_FIELD_NUMBER: _ClassVar[int]
    HOST_GIB_FIELD_NUMBER: _ClassVar[int]
    SPREAD_GIB_FIELD_NUMBER: _ClassVar[int]
    usable_gib: float
    peak_gib: float
    phase: str
    components: _containers.RepeatedCompositeFieldContainer[MemoryComponent]
    readings: MemoryReadings
    host_gib: float
    spread_gib: float
    def __init__(self, usable_gib: _Optional[float] = ..., peak_gib: _Optional[float] = ..., phase: _Optional[str] = ..., components: _Optional[_Iterable[_Union[MemoryComponent, _Mapping]]] = ..., readings: _Optional[_Union[MemoryReadings, _Mapping]] = ..., host_gib: _Optional[float] = ..., spread_gib: _Optional[float] = ...) -> None: ...

class TraceEntry(_message.Message):
    __slots__ = ("candidate", "rule", "kind", "verdict", "message", "operands", "source")
    class OperandsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: _struct_pb2.Value
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ...) -> None: ...
    CANDIDATE_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    OPERANDS_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    candidate: str
    rule: str
    kind: RuleKind
    verdict: Verdict
    message: str
    operands: _containers.MessageMap[str, _struct_pb2.Value]
    source: str
    def __init__(self, candidate: _Optional[str] = ..., rule: _Optional[str] = ..., kind: _Optional[_Union[RuleKind, str]] = ..., verdict: _Optional[_Union[Verdict, str]] = ..., message: _Optional[str] = ..., operands: _Optional[_Mapping[str, _struct_pb2.Value]] = ..., source: _Optional[str] = ...) -> None: ...

class Advice(_message.Message):
    __slots__ = ("rule", "severity", "message", "source")
    RULE_FIELD_NUMBER: _ClassVar[int]
    SEVERITY_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    rule: str
    severity: Severity
    message: str
    source: str
    def __init__(self, rule: _Optional[str] = ..., severity: _Optional[_Union[Severity, str]] = ..., message: _Optional[str] = ..., source: _Optional[str] = ...) -> None: ...

class Change(_message.Message):
    __slots__ = ("field", "value")
    FIELD_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    field: str
    value: _struct_pb2.Value
    def __init__(self, field: _Optional[str] = ..., value: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ...) -> None: ...

class WouldFitIf(_message.Message):
    __slots__ = ("changes", "label", "message")
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    changes: _containers.RepeatedCompositeFieldContainer[Change]
    label: str
    message: str
    def __init__(self, changes: _Optional[_Iterable[_Union[Change, _Mapping]]] = ..., label: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class TurningPoint(_message.Message):
    __slots__ = ("field", "value", "label", "message")
    FIELD_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    field: str
    value: _struct_pb2.Value
    label: str
    message: str
    def __init__(self, field: _Optional[str] = ..., value: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., label: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class WhyNot(_message.Message):
    __slots__ = ("label", "rejections", "message")
    LABEL_FIELD_NUMBER: _ClassVar[int]
    REJECTIONS_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    label: str
    rejections: _containers.RepeatedCompositeFieldContainer[TraceEntry]
    message: str
    def __init__(self, label: _Optional[str] = ..., rejections: _Optional[_Iterable[_Union[TraceEntry, _Mapping]]] = ..., message: _Optional[str] = ...) -> None: ...
