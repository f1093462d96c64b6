"""Numbers in the planner's own sentences, with their units."""


def gib_text(gib: float) -> str:
    """Return "79.15 GiB"."""
    return f"{gib:.2f} GiB"


def number_text(number: int) -> str:
    """Return "20,480"."""
    return f"{number:,}"


def probability_text(probability: float) -> str:
    """Return "0.905"; never rounds up to a certainty that is not there."""
    if 0.9995 <= probability < 1:
        return "> 0.999"
    if 0 < probability < 0.0005:
        return "< 0.001"
    return f"{probability:.3f}"
