"""Whether durable-rules and the portable matcher decide alike, over random rulebooks and random requests.

A decision is the ladder with its limits, the whole trace, and the advice. A rulebook keeps some of the rules that ship
and adds random ones, whose literals are values that real facts hold, so that comparisons stand on their edges. A
decision is alike when outcome, rung, trace and advice are equal. Exits 1 at the first that is not, and prints it.

    python benchmarks/matchers.py [DECISIONS]

The target is 100,000 decisions without a difference.
"""

import platform
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from rungwise.domain.plan import Advice, Outcome, TraceEntry
from rungwise.domain.request import Hardware, ModelReference, PlanRequest, Preferences, Workload
from rungwise.engine.condition import OPERATORS, Condition
from rungwise.engine.facts import Fact, FactField, Value
from rungwise.engine.matching import Matcher, make_matcher
from rungwise.engine.rule import Recommendation, Rejection, Rule, Translated
from rungwise.engine.ruleset import RuleSet
from rungwise.planning.advise import advice_fact, advise
from rungwise.planning.decision import decide
from rungwise.planning.job import Job, resolve
from rungwise.planning.knowledge import Knowledge, load_knowledge
from rungwise.planning.trace import trace

DECISIONS = 100_000
JOBS_OF_A_RULEBOOK = 100
MODELS = (
    "Qwen/Qwen3-0.6B",
    "Qwen/Qwen3-8B",
    "Qwen/Qwen3-14B",
    "Qwen/Qwen2.5-7B-Instruct",
    "Qwen/Qwen3-30B-A3B",
)
GPUS = ("a100-80gb", "h20-96gb", "h200-141gb", "a100-40gb", "v100-32gb")
LENGTHS = (1, 4_096, 20_480, 24_576, 40_960, 143_360)
RANDOM_RULES = {"legality": 4, "memory": 3, "advice": 8}

Maker = Callable[[RuleSet], Matcher]
Told = tuple[Outcome, str, tuple[TraceEntry, ...], tuple[Advice, ...]]


def main() -> int:
    """Print what was compared; return 1 if the matchers differ."""
    if sys.version_info >= (3, 13):
        print("durable-rules does not run on this Python: nothing to compare")
        return 0
    decisions = int(sys.argv[1]) if len(sys.argv) > 1 else DECISIONS
    begun, cpu = time.perf_counter(), time.process_time()
    seen: Counter[str] = Counter()
    difference = first_difference(
        decisions,
        lambda rules: make_matcher(rules, "durable"),
        lambda rules: make_matcher(rules, "portable"),
        seen,
    )
    print(f"{platform.platform()}, Python {platform.python_version()}")
    print(
        f"{seen['decisions']} decisions, {seen['rulebooks']} rulebooks, {seen['rejections']} rejections, "
        f"{seen['advice']} pieces of advice, {seen[Outcome.FEASIBLE]} feasible: "
        f"{time.perf_counter() - begun:.0f} s, CPU {time.process_time() - cpu:.0f} s"
    )
    print(difference or "the matchers agree")
    return int(bool(difference))


def first_difference(decisions: int, one: Maker, other: Maker, seen: Counter[str]) -> str:
    """Return the first decision that two matchers tell differently, empty if there is none; count what was seen."""
    chance = random.Random(20_480)
    base = load_knowledge(matcher="portable")
    values = observed(base, chance)
    for number in range(-(-decisions // JOBS_OF_A_RULEBOOK)):
        ruleset = random_ruleset(base.ruleset, values, chance)
        books = [replace(base, ruleset=ruleset, matcher=make(ruleset)) for make in (one, other)]
        seen["rulebooks"] += 1
        for _ in range(min(JOBS_OF_A_RULEBOOK, decisions - number * JOBS_OF_A_RULEBOOK)):
            job = resolve(base, random_request(chance))
            left, right = (told(book, job) for book in books)
            outcome, _label, entries, advice = left
            seen.update(["decisions", outcome])
            seen["rejections"] += sum(entry.verdict.name == "REJECT" for entry in entries)
            seen["advice"] += len(advice)
            if left != right:
                rules = "\n".join(f"  {rule.id}: {' and '.join(rule.when_text)}" for rule in ruleset.rules)
                return f"{job.request!r}\n{rules}\none:   {left}\nother: {right}"
    return ""


def told(knowledge: Knowledge, job: Job) -> Told:
    """Return outcome, chosen rung, trace and advice."""
    decision = decide(knowledge, job, whole_ladder=False)
    label = decision.chosen.candidate.label if decision.chosen else ""
    return decision.outcome, label, trace(knowledge, decision), advise(knowledge, decision)


def random_request(chance: random.Random) -> PlanRequest:
    """Return a request of the Trinity-RFT ladder, half of them a token or less beside a length of the guide's grid."""
    beside = chance.choice(LENGTHS) + chance.randint(-1, 1)
    length = max(1, beside) if chance.random() < 0.5 else chance.randint(1, 200_000)
    return PlanRequest(
        model=ModelReference(name=chance.choice(MODELS)),
        hardware=Hardware(
            gpu=chance.choice(GPUS),
            gpus=chance.choice((1, 2, 3, 4, 6, 8, 16)),
            host_memory_gib=chance.choice((None, None, 256.0, 2048.0)),
        ),
        workload=Workload(
            max_model_len=length,
            train_batch_size=chance.choice((None, None, 96, 126)),
            strategy=chance.choice((None, None, None, "fsdp", "fsdp2")),
        ),
        preferences=Preferences(
            forbid=chance.choice(((), (), ("Offload",), ("SP",))),
            min_fit_probability=chance.choice((None, 0.5, 0.99)),
        ),
    )


def observed(knowledge: Knowledge, chance: random.Random) -> dict[str, dict[str, list[Value]]]:
    """Return values that the planner's facts hold, by stage and field."""
    facts: dict[str, list[Fact]] = {"legality": [], "memory": [], "advice": []}
    for _ in range(60):
        decision = decide(knowledge, resolve(knowledge, random_request(chance)), whole_ladder=True)
        facts["legality"] += [assessment.legality for assessment in decision.assessments]
        facts["memory"] += [assessment.stage.fact for assessment in decision.assessments if assessment.stage]
        facts["advice"].append(advice_fact(decision))
    return {
        stage: {name: sorted({fact[name] for fact in rows}, key=str) for name in rows[0]}
        for stage, rows in facts.items()
    }


def random_ruleset(
    base: RuleSet, values: dict[str, dict[str, list[Value]]], chance: random.Random
) -> RuleSet:
    """Return a rulebook of some rules that ship and some random ones."""
    rules = [rule for rule in base.rules if chance.random() < 0.5]
    for stage, most in RANDOM_RULES.items():
        fields = base.schema.stages[stage]
        for number in range(chance.randint(1, most)):
            conditions = tuple(random_conditions(fields, values[stage], chance))
            rules.append(random_rule(f"random.{stage}-{number}", stage, conditions))
    ordered = sorted(rules, key=lambda rule: rule.id)
    return RuleSet(base.schema, base.revision, tuple(ordered), base.paths)


def random_conditions(
    fields: Mapping[str, FactField], values: dict[str, list[Value]], chance: random.Random
) -> Iterator[Condition]:
    """Yield two to four comparisons with a value that was seen, the number beside it, or another field."""
    for _ in range(chance.choice((2, 3, 3, 4))):
        field: FactField = fields[chance.choice(list(fields))]
        op = chance.choice(sorted(OPERATORS) if field.type == "int" else ("==", "!="))
        alike = [name for name, other in fields.items() if other.type == field.type and name != field.name]
        if field.type != "str" and alike and chance.random() < 0.3:
            yield Condition(field.name, op, None, chance.choice(alike))
            continue
        value = chance.choice(values[field.name])
        if isinstance(value, int) and field.type == "int":
            value += chance.randint(-1, 1)
        yield Condition(field.name, op, value, None)


def random_rule(rule_id: str, stage: str, when: tuple[Condition, ...]) -> Rule:
    """Return a rule that says which fields it compared."""
    is_advice = stage == "advice"
    compared = ", ".join(f"{{{condition.field}}}" for condition in when)
    return Rule(
        id=rule_id,
        title={"en": rule_id, "zh": rule_id},
        kind="advice" if is_advice else "limit",
        since="0.1.0",
        status="experimental",
        stage=stage,
        when=when,
        when_text=tuple(map(str, when)),
        then=Recommendation(severity="info")
        if is_advice
        else Rejection(verdict="reject", summary=Translated(en=rule_id, zh=rule_id)),
        because={"en": compared, "zh": compared},
        rationale="drawn at random",
        source="drawn at random",
        confidence="low",
    )


if __name__ == "__main__":
    sys.exit(main())
