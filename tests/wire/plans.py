"""Any answer that the planner could give, for the properties of its encodings."""

from hypothesis import strategies as st
from rungwise.domain.plan import (
    Advice,
    Basis,
    Change,
    Configuration,
    ExplainResponse,
    Memory,
    MemoryComponent,
    MemoryReadings,
    Outcome,
    PlanResponse,
    RopeScaling,
    RuleKind,
    Severity,
    TraceEntry,
    TurningPoint,
    Verdict,
    WhyNot,
    WouldFitIf,
)

TEXT = st.text(max_size=8)
# A whole operand is written without fraction, and so 0 without its sign.
NUMBER = st.floats(allow_nan=False, allow_infinity=False).map(lambda number: number + 0.0)
SCALAR = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | NUMBER | TEXT
INT32 = st.integers(-(2**31), 2**31 - 1)
INT64 = st.integers(-(2**63), 2**63 - 1)


def _tuple(item: st.SearchStrategy) -> st.SearchStrategy:
    return st.lists(item, max_size=2).map(tuple)


_ROPE = st.builds(
    RopeScaling,
    rope_type=TEXT,
    factor=NUMBER,
    original_max_position_embeddings=INT64,
    max_position_embeddings=INT64,
)
_CONFIGURATION = st.builds(
    Configuration,
    label=TEXT,
    measures=_tuple(TEXT),
    env=st.dictionaries(TEXT, TEXT, max_size=3),
    sequence_parallel_size=INT32,
    cpu_offload=st.booleans(),
    max_token_len_per_gpu=INT64,
    rope_scaling=st.none() | _ROPE,
    strategy=TEXT,
)
_MEMORY = st.builds(
    Memory,
    usable_gib=NUMBER,
    peak_gib=st.none() | NUMBER,
    phase=TEXT,
    components=_tuple(st.builds(MemoryComponent, name=TEXT, gib=NUMBER, formula=TEXT)),
    readings=st.none() | st.builds(MemoryReadings, NUMBER, NUMBER, NUMBER),
    host_gib=st.none() | NUMBER,
    spread_gib=st.none() | NUMBER,
)
_ENTRY = st.builds(
    TraceEntry,
    candidate=TEXT,
    rule=TEXT,
    kind=st.sampled_from(RuleKind),
    verdict=st.sampled_from(Verdict),
    message=TEXT,
    operands=st.dictionaries(TEXT, SCALAR, max_size=4),
    source=TEXT,
)
PLANS = st.builds(
    PlanResponse,
    decision_id=TEXT,
    rulebook_revision=TEXT,
    planner_version=TEXT,
    outcome=st.sampled_from(Outcome),
    configuration=st.none() | _CONFIGURATION,
    memory=st.none() | _MEMORY,
    basis=st.sampled_from(Basis),
    fit_probability=NUMBER,
    trace=_tuple(_ENTRY),
    advice=_tuple(
        st.builds(Advice, rule=TEXT, severity=st.sampled_from(Severity), message=TEXT, source=TEXT)
    ),
    would_fit_if=_tuple(
        st.builds(
            WouldFitIf,
            changes=_tuple(st.builds(Change, field=TEXT, value=SCALAR | _tuple(TEXT))),
            label=TEXT,
            message=TEXT,
        )
    ),
    assumptions=_tuple(TEXT),
    summary=TEXT,
)
EXPLANATIONS = st.builds(
    ExplainResponse,
    plan=PLANS,
    why_not=_tuple(st.builds(WhyNot, label=TEXT, rejections=_tuple(_ENTRY), message=TEXT)),
    turning_points=_tuple(st.builds(TurningPoint, field=TEXT, value=SCALAR, label=TEXT, message=TEXT)),
)
