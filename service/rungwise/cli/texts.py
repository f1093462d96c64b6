"""The words around an answer, in every language that answers come in."""

from typing import Literal, get_args

Language = Literal["en", "zh"]

_TEXTS: dict[str, tuple[str, str]] = {
    "OUTCOME_FEASIBLE": ("fits", "可行"),
    "OUTCOME_INFEASIBLE": ("no rung fits", "没有可行配置"),
    "OUTCOME_UNKNOWN": ("no verdict", "无法判断"),
    "BASIS_PUBLISHED": ("published measurement", "公开实测"),
    "BASIS_BRACKETED": ("between published measurements", "公开实测点之间"),
    "BASIS_CALIBRATED": ("estimate, calibrated domain", "校准范围内的估算"),
    "BASIS_EXTRAPOLATED": ("estimate, outside the calibrated domain", "校准范围外的估算"),
    "BASIS_UNKNOWN": ("none", "无"),
    "VERDICT_PASS": ("pass", "通过"),
    "VERDICT_REJECT": ("refused", "否决"),
    "VERDICT_NOT_EVALUATED": ("not evaluated", "未评估"),
    "SEVERITY_INFO": ("info", "提示"),
    "SEVERITY_WARNING": ("warning", "警告"),
    "SEVERITY_CRITICAL": ("critical", "严重"),
    "headline": (
        "{outcome}, fit probability {probability}, basis: {basis}",
        "{outcome}，可行概率 {probability}，依据：{basis}",
    ),
    "environment": (
        "Environment, on every node before the job starts",
        "环境变量（作业启动前在每个节点设置）",
    ),
    "settings": ("Settings", "设置"),
    "memory": ("Memory of one GPU", "单卡显存"),
    "memory_of_nearest": ("Memory of one GPU, nearest rung", "单卡显存（最接近的配置）"),
    "usable": ("usable", "可用"),
    "peak": ("peak", "峰值"),
    "phase": ("peak phase", "峰值阶段"),
    "readings": ("as tools show it", "工具读数"),
    "host": ("host memory of one node", "单节点主机内存"),
    "component": ("component", "组成"),
    "formula": ("formula", "公式"),
    "trace": ("Trace", "判定过程"),
    "rung": ("rung", "配置"),
    "verdict": ("verdict", "结论"),
    "reason": ("reason", "理由"),
    "request": ("(request)", "（请求）"),
    "sources": ("Sources", "来源"),
    "advice": ("Advice", "建议"),
    "would_fit_if": ("It would fit with", "以下改动可行"),
    "assumptions": ("Assumptions", "假设"),
    "why_not": ("Why not", "为什么不选"),
    "turning_points": ("Where the answer changes", "结果的转折点"),
    "ids": ("Ids", "标识"),
    "yes": ("yes", "是"),
    "no": ("no", "否"),
}


def language_of(lang: str | None) -> Language:
    """Return the language that `--lang` names; English for any other word, which the request check refuses."""
    return "zh" if lang == "zh" else "en"


def text(key: str, language: Language) -> str:
    """Return the text `key`; a name that is not in the table, such as a newer enum value, stands for itself."""
    translations = _TEXTS.get(key)
    return key if translations is None else translations[get_args(Language).index(language)]
