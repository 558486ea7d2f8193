#include "models/workload/transformer/transformer_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/workload/transformer/presets.hpp"

namespace stepcast {
namespace {

struct CountKey {
  const char* name;
  std::uint32_t Transformer::*field;
  std::uint32_t least;
};

constexpr std::array kCounts{CountKey{"layers", &Transformer::layers, 1},
                             CountKey{"hidden", &Transformer::hidden, 1},
                             CountKey{"heads", &Transformer::heads, 1},
                             CountKey{"kv_heads", &Transformer::kv_heads, 1},
                             CountKey{"seq", &Transformer::seq, 1},
                             CountKey{"vocab", &Transformer::vocab, 1},
                             CountKey{"ffn", &Transformer::ffn, 1},
                             CountKey{"experts", &Transformer::experts, 1},
                             CountKey{"top_k", &Transformer::top_k, 1},
                             CountKey{"shared_experts", &Transformer::shared_experts, 0},
                             CountKey{"dense_layers", &Transformer::dense_layers, 0},
                             CountKey{"dense_ffn", &Transformer::dense_ffn, 0},
                             CountKey{"head_dim", &Transformer::head_dim, 0},
                             CountKey{"kv_rank", &Transformer::kv_rank, 0},
                             CountKey{"q_rank", &Transformer::q_rank, 0},
                             CountKey{"rope_dim", &Transformer::rope_dim, 0},
                             CountKey{"patch", &Transformer::patch, 0},
                             CountKey{"segments", &Transformer::segments, 0}};

struct ParametersKey {
  const char* name;
  std::optional<std::uint64_t> Transformer::*field;
};

constexpr std::array kParameters{
    ParametersKey{"block_parameters", &Transformer::block_parameters},
    ParametersKey{"sparse_parameters", &Transformer::sparse_parameters},
    ParametersKey{"expert_parameters", &Transformer::expert_parameters},
    ParametersKey{"embedding_parameters", &Transformer::embedding_parameters},
    ParametersKey{"head_parameters", &Transformer::head_parameters}};

struct FlagKey {
  const char* name;
  bool Transformer::*field;
};

constexpr std::array kFlags{
    FlagKey{"gated", &Transformer::gated}, FlagKey{"tied", &Transformer::tied},
    FlagKey{"learned_positions", &Transformer::learned_positions},
    FlagKey{"pooler", &Transformer::pooler}, FlagKey{"causal", &Transformer::causal}};

constexpr std::array kRequired{"layers", "hidden", "heads", "seq", "vocab"};

std::string one_of(const std::string& value, const std::vector<std::string>& words) {
  if (std::ranges::find(words, value) == words.end())
    throw InputError(
        fmt::format("expected {}, found {}", fmt::join(words, ", "), in_quotes(value)));
  return value;
}

// More than 32 bits hold: a block of the largest models has billions.
std::uint64_t parse_parameters(const std::string& value) {
  constexpr std::uint64_t kMost = 1'000'000'000'000'000;
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
  if (error != std::errc{} || end != value.data() + value.size() || count > kMost)
    throw InputError(fmt::format("expected a whole number of parameters up to {}, found {}", kMost,
                                 in_quotes(value)));
  return count;
}

AttentionKind attention_of(const std::string& value) {
  one_of(value, {"flash", "fused", "unfused"});
  return value == "flash"   ? AttentionKind::Flash
         : value == "fused" ? AttentionKind::Fused
                            : AttentionKind::Unfused;
}

// Whether the key was one of the shape's.
bool set_shape(Transformer& shape, const std::string& key, const std::string& value) {
  for (const CountKey& count : kCounts)
    if (key == count.name) {
      shape.*count.field = parse_count(value, count.least);
      return true;
    }
  for (const ParametersKey& parameters : kParameters)
    if (key == parameters.name) {
      shape.*parameters.field = parse_parameters(value);
      return true;
    }
  for (const FlagKey& flag : kFlags)
    if (key == flag.name) {
      shape.*flag.field = one_of(value, {"yes", "no"}) == "yes";
      return true;
    }
  if (key == "attention")
    shape.attention = attention_of(value);
  else if (key == "precision")
    shape.precision = one_of(value, {"fp32", "fp16", "bf16", "fp8"});
  else
    return false;
  return true;
}

[[noreturn]] void refuse_key(const std::string& key) {
  const std::vector<std::string> keys = transformer_keys();
  throw InputError(fmt::format("transformer: unknown key {}: expected one of {}{}", in_quotes(key),
                               fmt::join(keys, ", "), did_you_mean(key, keys)));
}

Transformer preset_of(const std::string& model) {
  const std::vector<std::string> names = transformer_names();
  const auto found = find_transformer(model);
  if (!found)
    throw InputError(fmt::format("transformer: model: expected one of {}, found {}{}",
                                 fmt::join(names, ", "), in_quotes(model),
                                 did_you_mean(model, names)));
  return *found;
}

// What follows from other keys where it is not given.
void fill_in(Transformer& shape, const std::set<std::string>& given, bool preset) {
  if (preset)
    return;
  if (!given.contains("ffn"))
    shape.ffn = 4 * shape.hidden;
  if (!given.contains("kv_heads"))
    shape.kv_heads = shape.heads;
  if (!given.contains("tied"))
    shape.tied = !shape.gated && !shape.sees_images();
  for (const char* key : kRequired)
    if (!given.contains(key))
      throw InputError(fmt::format("transformer: {}: missing, for example {}=48", key, key));
}

}  // namespace

std::vector<std::string> transformer_keys() {
  std::vector<std::string> keys{"model", "device", "batch", "blocks", "attention", "precision"};
  for (const CountKey& count : kCounts)
    keys.emplace_back(count.name);
  for (const FlagKey& flag : kFlags)
    keys.emplace_back(flag.name);
  for (const ParametersKey& parameters : kParameters)
    keys.emplace_back(parameters.name);
  return keys;
}

std::vector<std::string> shape_keys() {
  std::vector<std::string> keys = transformer_keys();
  std::erase_if(keys, [](const std::string& key) {
    return key == "model" || key == "device" || key == "batch" || key == "blocks";
  });
  return keys;
}

std::string shape_text(const Transformer& shape, const std::string& key) {
  for (const CountKey& count : kCounts)
    if (key == count.name)
      return std::to_string(shape.*count.field);
  for (const ParametersKey& parameters : kParameters)
    if (key == parameters.name)
      return shape.*parameters.field ? std::to_string(*(shape.*parameters.field)) : "";
  for (const FlagKey& flag : kFlags)
    if (key == flag.name)
      return shape.*flag.field ? "yes" : "no";
  if (key == "precision")
    return shape.precision;
  if (key != "attention")
    refuse_key(key);
  return shape.attention == AttentionKind::Flash   ? "flash"
         : shape.attention == AttentionKind::Fused ? "fused"
                                                   : "unfused";
}

KeyValues split_key_values(std::string_view text) {
  KeyValues values;
  for (bool more = !text.empty(); more;) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == part.size())
      throw InputError(fmt::format("expected key=value, found {}", in_quotes(part)));
    values.emplace_back(part.substr(0, equals), part.substr(equals + 1));
    more = comma < text.size();  // behind a comma stands something
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return values;
}

TransformerRequest transformer_of(const KeyValues& values) {
  TransformerRequest request;
  const auto model = std::ranges::find(values, "model", &KeyValues::value_type::first);
  const bool preset = model != values.end();
  if (preset)
    request.shape = preset_of(model->second);
  std::set<std::string> given;
  for (const auto& [key, value] : values) {
    if (!given.insert(key).second)
      throw InputError(fmt::format("transformer: {}: given twice", key));
    try {
      if (key == "device")
        request.device = value;
      else if (key == "batch")
        request.batch = parse_count(value, 1);
      else if (key == "blocks")
        request.blocks = value;
      else if (key != "model" && !set_shape(request.shape, key, value))
        refuse_key(key);
    } catch (const InputError& error) {
      const std::string what = error.what();
      throw InputError(
          what.starts_with("transformer:") ? what : fmt::format("transformer: {}: {}", key, what));
    }
  }
  fill_in(request.shape, given, preset);
  if (request.device.empty())
    throw InputError("transformer: device: missing, for example device=a100");
  try {
    check_transformer(request.shape);
  } catch (const InputError& error) {
    throw InputError(fmt::format("transformer: {}", error.what()));
  }
  return request;
}

namespace {

KeyValues values_of(std::string_view text) try {
  if (text.starts_with(kTransformerPrefix))
    text.remove_prefix(kTransformerPrefix.size());
  return split_key_values(text);
} catch (const InputError& error) {
  throw InputError(fmt::format("transformer: {}", error.what()));
}

}  // namespace

TransformerRequest parse_transformer(std::string_view text) {
  return transformer_of(values_of(text));
}

Transformer parse_transformer_shape(std::string_view text) {
  KeyValues values = values_of(text);
  if (std::ranges::find(values, "device", &KeyValues::value_type::first) == values.end())
    values.emplace_back("device", "any");
  return transformer_of(values).shape;
}

}  // namespace stepcast
