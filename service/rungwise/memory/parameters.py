"""Parameter counts of a decoder-only transformer, from its dimensions.

Checked against the published totals of the catalog's models (tests/catalog).
"""

from rungwise.domain.model import Model


def attention(model: Model) -> int:
    """Parameters of one layer's attention: Q, K, V, O, and biases and q/k norms where the model has them."""
    q = model.num_attention_heads * model.head_dim
    kv = model.num_key_value_heads * model.head_dim
    weights = 2 * model.hidden_size * q + 2 * model.hidden_size * kv
    biases = q + 2 * kv if model.qkv_bias else 0
    norms = 2 * model.head_dim if model.qk_norm else 0
    return weights + biases + norms


def mlp(model: Model) -> int:
    """Parameters of one MLP, or of one expert: gate, up and down; without a gate up and down."""
    return (3 if model.gated_mlp else 2) * model.hidden_size * model.intermediate_size


def layer(model: Model) -> int:
    """Parameters of one layer: attention, MLP or all experts with their router, two norms."""
    experts = model.num_experts
    feed_forward = experts * mlp(model) + experts * model.hidden_size if experts else mlp(model)
    return attention(model) + feed_forward + 2 * model.hidden_size


def embedding(model: Model) -> int:
    """Parameters of the token embedding."""
    return model.vocab_size * model.hidden_size


def root(model: Model) -> int:
    """Parameters outside the layers, FSDP's root unit: embedding, output layer unless tied, final norm."""
    return embedding(model) * (1 if model.tie_word_embeddings else 2) + model.hidden_size


def total(model: Model) -> int:
    """All parameters: the published count where the catalog holds it, else the sum of the parts."""
    return model.parameters or model.num_hidden_layers * layer(model) + root(model)


def active(model: Model) -> int:
    """Parameters that one token uses: all of a dense model, the routed share of a MoE model."""
    if not model.num_experts:
        return total(model)
    idle = model.num_experts - model.num_experts_per_tok
    return total(model) - model.num_hidden_layers * idle * mlp(model)
