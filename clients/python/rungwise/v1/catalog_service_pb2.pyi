from rungwise.v1 import plan_pb2 as _plan_pb2
from rungwise.v1 import request_pb2 as _request_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Model(_message.Message):
    __slots__ = ("id", "dimensions", "parameters", "active_parameters", "source")
    ID_FIELD_NUMBER: _ClassVar[int]
    DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    id: str
    dimensions: _request_pb2.ModelDimensions
    parameters: int
    active_parameters: int
    source: str
    def __init__(self, id: _Optional[str] = ..., dimensions: _Optional[_Union[_request_pb2.ModelDimensions, _Mapping]] = ..., parameters: _Optional[int] = ..., active_parameters: _Optional[int] = ..., source: _Optional[str] = ...) -> None: ...

class Gpu(_message.Message):
    __slots__ = ("id", "name", "aliases", "memory_gib", "usable_gib", "architecture", "compute_capability", "bf16", "flash_attention", "interconnect", "source")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ALIASES_FIELD_NUMBER: _ClassVar[int]
    MEMORY_GIB_FIELD_NUMBER: _ClassVar[int]
    USABLE_GIB_FIELD_NUMBER: _ClassVar[int]
    ARCHITECTURE_FIELD_NUMBER: _ClassVar[int]
    COMPUTE_CAPABILITY_FIELD_NUMBER: _ClassVar[int]
    BF16_FIELD_NUMBER: _ClassVar[int]
    FLASH_ATTENTION_FIELD_NUMBER: _ClassVar[int]
    INTERCONNECT_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    aliases: _containers.RepeatedScalarFieldContainer[str]
    memory_gib: float
    usable_gib: float
    architecture: str
    compute_capability: str
    bf16: bool
    flash_attention: bool
    interconnect: str
    source: str
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., aliases: _Optional[_Iterable[str]] = ..., memory_gib: _Optional[float] = ..., usable_gib: _Optional[float] = ..., architecture: _Optional[str] = ..., compute_capability: _Optional[str] = ..., bf16: bool = ..., flash_attention: bool = ..., interconnect: _Optional[str] = ..., source: _Optional[str] = ...) -> None: ...

class Rule(_message.Message):
    __slots__ = ("id", "title", "kind", "stage", "when", "because", "rationale", "source", "confidence", "since", "severity")
    ID_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    WHEN_FIELD_NUMBER: _ClassVar[int]
    BECAUSE_FIELD_NUMBER: _ClassVar[int]
    RATIONALE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    SEVERITY_FIELD_NUMBER: _ClassVar[int]
    id: str
    title: str
    kind: _plan_pb2.RuleKind
    stage: str
    when: _containers.RepeatedScalarFieldContainer[str]
    because: str
    rationale: str
    source: str
    confidence: _plan_pb2.Confidence
    since: str
    severity: _plan_pb2.Severity
    def __init__(self, id: _Optional[str] = ..., title: _Optional[str] = ..., kind: _Optional[_Union[_plan_pb2.RuleKind, str]] = ..., stage: _Optional[str] = ..., when: _Optional[_Iterable[str]] = ..., because: _Optional[str] = ..., rationale: _Optional[str] = ..., source: _Optional[str] = ..., confidence: _Optional[_Union[_plan_pb2.Confidence, str]] = ..., since: _Optional[str] = ..., severity: _Optional[_Union[_plan_pb2.Severity, str]] = ...) -> None: ...

class ListModelsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListModelsResponse(_message.Message):
    __slots__ = ("models",)
    MODELS_FIELD_NUMBER: _ClassVar[int]
    models: _containers.RepeatedCompositeFieldContainer[Model]
    def __init__(self, models: _Optional[_Iterable[_Union[Model, _Mapping]]] = ...) -> None: ...

class GetModelRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class GetModelResponse(_message.Message):
    __slots__ = ("model",)
    MODEL_FIELD_NUMBER: _ClassVar[int]
    model: Model
    def __init__(self, model: _Optional[_Union[Model, _Mapping]] = ...) -> None: ...

class ListGpusRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListGpusResponse(_message.Message):
    __slots__ = ("gpus",)
    GPUS_FIELD_NUMBER: _ClassVar[int]
    gpus: _containers.RepeatedCompositeFieldContainer[Gpu]
    def __init__(self, gpus: _Optional[_Iterable[_Union[Gpu, _Mapping]]] = ...) -> None: ...

class GetGpuRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class GetGpuResponse(_message.Message):
    __slots__ = ("gpu",)
    GPU_FIELD_NUMBER: _ClassVar[int]
    gpu: Gpu
    def __init__(self, gpu: _Optional[_Union[Gpu, _Mapping]] = ...) -> None: ...

class ListRulesRequest(_message.Message):
    __slots__ = ("kind", "locale")
    KIND_FIELD_NUMBER: _ClassVar[int]
    LOCALE_FIELD_NUMBER: _ClassVar[int]
    kind: _plan_pb2.RuleKind
    locale: str
    def __init__(self, kind: _Optional[_Union[_plan_pb2.RuleKind, str]] = ..., locale: _Optional[str] = ...) -> None: ...

class ListRulesResponse(_message.Message):
    __slots__ = ("rules", "rulebook_revision")
    RULES_FIELD_NUMBER: _ClassVar[int]
    RULEBOOK_REVISION_FIELD_NUMBER: _ClassVar[int]
    rules: _containers.RepeatedCompositeFieldContainer[Rule]
    rulebook_revision: str
    def __init__(self, rules: _Optional[_Iterable[_Union[Rule, _Mapping]]] = ..., rulebook_revision: _Optional[str] = ...) -> None: ...

class GetRuleRequest(_message.Message):
    __slots__ = ("id", "locale")
    ID_FIELD_NUMBER: _ClassVar[int]
    LOCALE_FIELD_NUMBER: _ClassVar[int]
    id: str
    locale: str
    def __init__(self, id: _Optional[str] = ..., locale: _Optional[str] = ...) -> None: ...

class GetRuleResponse(_message.Message):
    __slots__ = ("rule",)
    RULE_FIELD_NUMBER: _ClassVar[int]
    rule: Rule
    def __init__(self, rule: _Optional[_Union[Rule, _Mapping]] = ...) -> None: ...
