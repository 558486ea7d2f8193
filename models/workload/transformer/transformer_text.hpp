#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/workload/transformer/transformer.hpp"

namespace stepcast {

/// What a workload written in line begins with.
inline constexpr std::string_view kTransformerPrefix = "transformer:";

/// A transformer as a user writes it, with the device it runs on.
struct TransformerRequest {
  Transformer shape;
  std::string device;
  std::uint32_t batch = 1;  ///< Sequences of one pass.
  std::string blocks;       ///< File of measured parts; empty: the device's law alone.
};

using KeyValues = std::vector<std::pair<std::string, std::string>>;

/// "layers=48,hidden=8192" as keys and values. Throws InputError where a part is no key=value.
KeyValues split_key_values(std::string_view text);

/// Keys: layers, hidden, heads, kv_heads, seq, vocab, ffn, gated, experts, top_k, shared_experts,
/// dense_layers, dense_ffn, head_dim, kv_rank, q_rank, rope_dim, patch, segments, tied,
/// learned_positions, pooler, causal, block_parameters, sparse_parameters, expert_parameters,
/// embedding_parameters, head_parameters, attention, precision, device, batch, blocks; or model, a
/// preset that the others change. Throws InputError naming the key and what would be right.
TransformerRequest transformer_of(const KeyValues& values);

/// "transformer:layers=48,...".
TransformerRequest parse_transformer(std::string_view text);

/// The shape alone of "transformer:model=llama-2-7b,seq=2048": a device may be missing. Throws the
/// same.
Transformer parse_transformer_shape(std::string_view text);

/// The keys of a shape, in the order of help.
std::vector<std::string> shape_keys();

/// "4096", "yes", "flash": what a key of the in-line form is in a shape; empty for parameters that
/// were not counted. Throws InputError for a
/// key that is none of a shape.
std::string shape_text(const Transformer& shape, const std::string& key);

/// The keys that are known, in the order of help.
std::vector<std::string> transformer_keys();

}  // namespace stepcast
