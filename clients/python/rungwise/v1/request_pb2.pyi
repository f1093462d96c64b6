from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TraceLevel(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TRACE_LEVEL_UNSPECIFIED: _ClassVar[TraceLevel]
    TRACE_LEVEL_SUMMARY: _ClassVar[TraceLevel]
    TRACE_LEVEL_REJECTIONS: _ClassVar[TraceLevel]
    TRACE_LEVEL_FULL: _ClassVar[TraceLevel]
TRACE_LEVEL_UNSPECIFIED: TraceLevel
TRACE_LEVEL_SUMMARY: TraceLevel
TRACE_LEVEL_REJECTIONS: TraceLevel
TRACE_LEVEL_FULL: TraceLevel

class ModelReference(_message.Message):
    __slots__ = ("name", "hf_config_json", "dimensions")
    NAME_FIELD_NUMBER: _ClassVar[int]
    HF_CONFIG_JSON_FIELD_NUMBER: _ClassVar[int]
    DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    name: str
    hf_config_json: str
    dimensions: ModelDimensions
    def __init__(self, name: _Optional[str] = ..., hf_config_json: _Optional[str] = ..., dimensions: _Optional[_Union[ModelDimensions, _Mapping]] = ...) -> None: ...

class ModelDimensions(_message.Message):
    __slots__ = ("model_type", "num_hidden_layers", "hidden_size", "intermediate_size", "num_attention_heads", "num_key_value_heads", "head_dim", "vocab_size", "tie_word_embeddings", "max_position_embeddings", "num_experts", "num_experts_per_tok")
    MODEL_TYPE_FIELD_NUMBER: _ClassVar[int]
    NUM_HIDDEN_LAYERS_FIELD_NUMBER: _ClassVar[int]
    HIDDEN_SIZE_FIELD_NUMBER: _ClassVar[int]
    INTERMEDIATE_SIZE_FIELD_NUMBER: _ClassVar[int]
    NUM_ATTENTION_HEADS_FIELD_NUMBER: _ClassVar[int]
    NUM_KEY_VALUE_HEADS_FIELD_NUMBER: _ClassVar[int]
    HEAD_DIM_FIELD_NUMBER: _ClassVar[int]
    VOCAB_SIZE_FIELD_NUMBER: _ClassVar[int]
    TIE_WORD_EMBEDDINGS_FIELD_NUMBER: _ClassVar[int]
    MAX_POSITION_EMBEDDINGS_FIELD_NUMBER: _ClassVar[int]
    NUM_EXPERTS_FIELD_NUMBER: _ClassVar[int]
    NUM_EXPERTS_PER_TOK_FIELD_NUMBER: _ClassVar[int]
    model_type: str
    num_hidden_layers: int
    hidden_size: int
    intermediate_size: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    vocab_size: int
    tie_word_embeddings: bool
    max_position_embeddings: int
    num_experts: int
    num_experts_per_tok: int
    def __init__(self, model_type: _Optional[str] = ..., num_hidden_layers: _Optional[int] = ..., hidden_size: _Optional[int] = ..., intermediate_size: _Optional[int] = ..., num_attention_heads: _Optional[int] = ..., num_key_value_heads: _Optional[int] = ..., head_dim: _Optional[int] = ..., vocab_size: _Optional[int] = ..., tie_word_embeddings: bool = ..., max_position_embeddings: _Optional[int] = ..., num_experts: _Optional[int] = ..., num_experts_per_tok: _Optional[int] = ...) -> None: ...

class Hardware(_message.Message):
    __slots__ = ("gpu", "gpus", "gpus_per_node", "free_gib", "host_memory_gib", "cpu_cores", "interconnect")
    GPU_FIELD_NUMBER: _ClassVar[int]
    GPUS_FIELD_NUMBER: _ClassVar[int]
    GPUS_PER_NODE_FIELD_NUMBER: _ClassVar[int]
    FREE_GIB_FIELD_NUMBER: _ClassVar[int]
    HOST_MEMORY_GIB_FIELD_NUMBER: _ClassVar[int]
    CPU_CORES_FIELD_NUMBER: _ClassVar[int]
    INTERCONNECT_FIELD_NUMBER: _ClassVar[int]
    gpu: str
    gpus: int
    gpus_per_node: int
    free_gib: float
    host_memory_gib: float
    cpu_cores: int
    interconnect: str
    def __init__(self, gpu: _Optional[str] = ..., gpus: _Optional[int] = ..., gpus_per_node: _Optional[int] = ..., free_gib: _Optional[float] = ..., host_memory_gib: _Optional[float] = ..., cpu_cores: _Optional[int] = ..., interconnect: _Optional[str] = ...) -> None: ...

class Software(_message.Message):
    __slots__ = ("torch", "transformers", "vllm")
    TORCH_FIELD_NUMBER: _ClassVar[int]
    TRANSFORMERS_FIELD_NUMBER: _ClassVar[int]
    VLLM_FIELD_NUMBER: _ClassVar[int]
    torch: str
    transformers: str
    vllm: str
    def __init__(self, torch: _Optional[str] = ..., transformers: _Optional[str] = ..., vllm: _Optional[str] = ...) -> None: ...

class Rollout(_message.Message):
    __slots__ = ("engines", "tensor_parallel", "data_parallel", "colocated", "gpu_memory_utilization")
    ENGINES_FIELD_NUMBER: _ClassVar[int]
    TENSOR_PARALLEL_FIELD_NUMBER: _ClassVar[int]
    DATA_PARALLEL_FIELD_NUMBER: _ClassVar[int]
    COLOCATED_FIELD_NUMBER: _ClassVar[int]
    GPU_MEMORY_UTILIZATION_FIELD_NUMBER: _ClassVar[int]
    engines: int
    tensor_parallel: int
    data_parallel: int
    colocated: bool
    gpu_memory_utilization: float
    def __init__(self, engines: _Optional[int] = ..., tensor_parallel: _Optional[int] = ..., data_parallel: _Optional[int] = ..., colocated: bool = ..., gpu_memory_utilization: _Optional[float] = ...) -> None: ...

class Workload(_message.Message):
    __slots__ = ("framework", "method", "task", "max_model_len", "max_token_len_per_gpu", "micro_batch_size", "train_batch_size", "grad_accum", "strategy", "software", "precision", "optimizer", "lora_rank", "packing", "rollout")
    FRAMEWORK_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    TASK_FIELD_NUMBER: _ClassVar[int]
    MAX_MODEL_LEN_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKEN_LEN_PER_GPU_FIELD_NUMBER: _ClassVar[int]
    MICRO_BATCH_SIZE_FIELD_NUMBER: _ClassVar[int]
    TRAIN_BATCH_SIZE_FIELD_NUMBER: _ClassVar[int]
    GRAD_ACCUM_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    SOFTWARE_FIELD_NUMBER: _ClassVar[int]
    PRECISION_FIELD_NUMBER: _ClassVar[int]
    OPTIMIZER_FIELD_NUMBER: _ClassVar[int]
    LORA_RANK_FIELD_NUMBER: _ClassVar[int]
    PACKING_FIELD_NUMBER: _ClassVar[int]
    ROLLOUT_FIELD_NUMBER: _ClassVar[int]
    framework: str
    method: str
    task: str
    max_model_len: int
    max_token_len_per_gpu: int
    micro_batch_size: int
    train_batch_size: int
    grad_accum: int
    strategy: str
    software: Software
    precision: str
    optimizer: str
    lora_rank: int
    packing: bool
    rollout: Rollout
    def __init__(self, framework: _Optional[str] = ..., method: _Optional[str] = ..., task: _Optional[str] = ..., max_model_len: _Optional[int] = ..., max_token_len_per_gpu: _Optional[int] = ..., micro_batch_size: _Optional[int] = ..., train_batch_size: _Optional[int] = ..., grad_accum: _Optional[int] = ..., strategy: _Optional[str] = ..., software: _Optional[_Union[Software, _Mapping]] = ..., precision: _Optional[str] = ..., optimizer: _Optional[str] = ..., lora_rank: _Optional[int] = ..., packing: bool = ..., rollout: _Optional[_Union[Rollout, _Mapping]] = ...) -> None: ...

class Preferences(_message.Message):
    __slots__ = ("allow", "forbid", "objective", "min_fit_probability", "locale", "trace_level")
    ALLOW_FIELD_NUMBER: _ClassVar[int]
    FORBID_FIELD_NUMBER: _ClassVar[int]
    OBJECTIVE_FIELD_NUMBER: _ClassVar[int]
    MIN_FIT_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    LOCALE_FIELD_NUMBER: _ClassVar[int]
    TRACE_LEVEL_FIELD_NUMBER: _ClassVar[int]
    allow: _containers.RepeatedScalarFieldContainer[str]
    forbid: _containers.RepeatedScalarFieldContainer[str]
    objective: str
    min_fit_probability: float
    locale: str
    trace_level: TraceLevel
    def __init__(self, allow: _Optional[_Iterable[str]] = ..., forbid: _Optional[_Iterable[str]] = ..., objective: _Optional[str] = ..., min_fit_probability: _Optional[float] = ..., locale: _Optional[str] = ..., trace_level: _Optional[_Union[TraceLevel, str]] = ...) -> None: ...
