"""Position-embedding extension for contexts beyond a model's own."""

from rungwise.domain.plan import RopeScaling
from rungwise.planning.job import Job


def yarn_original_context(job: Job) -> int:
    """Return the length in tokens that YaRN scales from; 0 if the vendor names none for this model."""
    architecture, native = job.architecture, job.model.max_position_embeddings
    original = architecture.yarn_original_context
    if native is None or not original <= native <= architecture.yarn_max_native_context:
        return 0
    return original


def rope_scaling(job: Job) -> RopeScaling | None:
    """Return the extension that the job needs: none within the model's own context, or without a convention.

    The factor is max_model_len over the pre-training length, so that original × factor is the length asked for.
    """
    original, native = yarn_original_context(job), job.model.max_position_embeddings
    if not original or native is None or job.max_model_len <= native:
        return None
    return RopeScaling("yarn", job.max_model_len / original, original, job.max_model_len)
