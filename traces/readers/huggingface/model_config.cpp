#include "traces/readers/huggingface/model_config.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/json/strict_json.hpp"

// Each family names the same shapes by other keys and leaves out what equals its default; the
// defaults here are those of its configuration class.

namespace stepcast {
namespace {

/// The keys of one file, as counts and words.
class Keys {
 public:
  Keys(const nlohmann::json& json, std::string origin)
      : json_(json), origin_(std::move(origin)), reader_(json, origin_) {}

  bool has(const char* key) const { return json_.contains(key) && !json_.at(key).is_null(); }
  std::uint32_t count(const char* key, std::uint32_t least = 1) {
    const std::uint64_t value = reader_.count(key, least);
    constexpr std::uint64_t kMost = 1'000'000'000;
    if (value > kMost)
      reader_.fail(key, fmt::format("expected at most {}, found {}", kMost, value));
    return static_cast<std::uint32_t>(value);
  }
  std::uint32_t count_or(const char* key, std::uint32_t fallback, std::uint32_t least = 1) {
    return has(key) ? count(key, least) : fallback;
  }
  /// Entries of an object; 0: there is none.
  std::size_t entries(const char* key) const {
    return has(key) && json_.at(key).is_object() ? json_.at(key).size() : 0;
  }
  bool flag_or(const char* key, bool fallback) const {
    if (!has(key))
      return fallback;
    if (!json_.at(key).is_boolean())
      reader_.fail(key, "expected true or false");
    return json_.at(key).get<bool>();
  }
  std::string text_or(const char* key, std::string fallback) {
    return has(key) ? reader_.text(key) : std::move(fallback);
  }
  [[noreturn]] void fail(const char* key, const std::string& why) const { reader_.fail(key, why); }
  const std::string& origin() const { return origin_; }

 private:
  const nlohmann::json& json_;
  std::string origin_;
  ObjectReader reader_;
};

using Reader = void (*)(Keys& keys, ConfiguredModel& model);

void read_sizes(Keys& keys, Transformer& shape) {
  shape.layers = keys.count("num_hidden_layers");
  shape.hidden = keys.count("hidden_size");
  shape.heads = keys.count("num_attention_heads");
  shape.kv_heads = keys.count_or("num_key_value_heads", shape.heads);
  shape.ffn = keys.count("intermediate_size");
}

void read_usual(Keys& keys, Transformer& shape) {
  read_sizes(keys, shape);
  const std::uint32_t size = keys.count_or("head_dim", 0, 0);
  if (size > 0 && (shape.hidden % shape.heads != 0 || size != shape.hidden / shape.heads))
    shape.head_dim = size;
}

void read_llama(Keys& keys, ConfiguredModel& model) {
  Transformer& shape = model.shape;
  read_usual(keys, shape);
  shape.vocab = keys.count("vocab_size");
  shape.seq = keys.count_or("max_position_embeddings", 2048);
  shape.gated = true;
  shape.tied = keys.flag_or("tie_word_embeddings", false);
}

void read_qwen(Keys& keys, ConfiguredModel& model) {
  read_llama(keys, model);
  model.notes.emplace_back("biases of queries, keys and values are left out");
}

// Its code halves intermediate_size: of two gated halves.
void read_first_qwen(Keys& keys, ConfiguredModel& model) {
  read_qwen(keys, model);
  model.shape.ffn = std::max(1U, model.shape.ffn / 2);
  model.shape.seq = keys.count_or("seq_length", keys.count_or("max_position_embeddings", 8192));
}

void read_mixtral(Keys& keys, ConfiguredModel& model) {
  read_llama(keys, model);
  model.shape.experts = keys.count_or("num_local_experts", 8);
  model.shape.top_k = keys.count_or("num_experts_per_tok", 2);
}

void read_qwen_experts(Keys& keys, ConfiguredModel& model) {
  read_qwen(keys, model);
  Transformer& shape = model.shape;
  if (keys.count_or("decoder_sparse_step", 1) != 1)
    keys.fail("decoder_sparse_step", "expected 1: experts in every layer");
  shape.experts = keys.count_or("num_experts", 60);
  shape.top_k = keys.count_or("num_experts_per_tok", 4);
  shape.ffn = keys.count_or("moe_intermediate_size", 1408);
  const std::uint32_t shared = keys.count_or("shared_expert_intermediate_size", 0, 0);
  if (shared % shape.ffn != 0)
    keys.fail("shared_expert_intermediate_size",
              fmt::format("expected a multiple of moe_intermediate_size, {}", shape.ffn));
  shape.shared_experts = shared / shape.ffn;
}

// DeepSeek-V2 and -V3: latent attention, experts behind the first layers.
void read_deepseek(Keys& keys, ConfiguredModel& model) {
  Transformer& shape = model.shape;
  read_sizes(keys, shape);
  shape.kv_heads = shape.heads;
  shape.vocab = keys.count("vocab_size");
  shape.seq = keys.count_or("max_position_embeddings", 4096);
  shape.gated = true;
  shape.tied = keys.flag_or("tie_word_embeddings", false);
  shape.head_dim = keys.count("qk_nope_head_dim");
  if (keys.count("v_head_dim") != shape.head_dim)
    keys.fail("v_head_dim", fmt::format("expected that of keys, {}", shape.head_dim));
  shape.rope_dim = keys.count("qk_rope_head_dim");
  shape.kv_rank = keys.count("kv_lora_rank");
  shape.q_rank = keys.count_or("q_lora_rank", 0, 0);
  if (keys.count_or("moe_layer_freq", 1) != 1)
    keys.fail("moe_layer_freq", "expected 1: experts in every layer behind the first");
  shape.experts = keys.count("n_routed_experts");
  shape.top_k = keys.count("num_experts_per_tok");
  shape.shared_experts = keys.count_or("n_shared_experts", 0, 0);
  shape.dense_layers = keys.count_or("first_k_dense_replace", 0, 0);
  shape.dense_ffn = shape.ffn;
  shape.ffn = keys.count("moe_intermediate_size");
  if (keys.count_or("num_nextn_predict_layers", 0, 0) > 0)
    model.notes.emplace_back("layers that predict the tokens after the next are left out");
}

void read_gpt2(Keys& keys, ConfiguredModel& model) {
  Transformer& shape = model.shape;
  shape.layers = keys.count_or("n_layer", 12);
  shape.hidden = keys.count_or("n_embd", 768);
  shape.heads = shape.kv_heads = keys.count_or("n_head", 12);
  constexpr std::uint32_t kInner = 4;
  shape.ffn = keys.count_or("n_inner", kInner * shape.hidden);
  shape.vocab = keys.count_or("vocab_size", 50257);
  shape.seq = keys.count_or("n_positions", 1024);
  shape.tied = keys.flag_or("tie_word_embeddings", true);
  shape.learned_positions = true;
}

void read_bert(Keys& keys, ConfiguredModel& model) {
  Transformer& shape = model.shape;
  read_usual(keys, shape);
  shape.vocab = keys.count("vocab_size");
  shape.seq = keys.count_or("max_position_embeddings", 512);
  shape.learned_positions = true;
  shape.segments = keys.count_or("type_vocab_size", 2);
  shape.pooler = true;
  shape.causal = false;
  model.notes.emplace_back("the head predicts every token with the embedding's matrix alone");
}

void read_vit(Keys& keys, ConfiguredModel& model) {
  Transformer& shape = model.shape;
  read_usual(keys, shape);
  const std::uint32_t patch = keys.count_or("patch_size", 16);
  const std::uint32_t image = keys.count_or("image_size", 224);
  const std::uint32_t channels = keys.count_or("num_channels", 3);
  if (image % patch != 0)
    keys.fail("image_size", fmt::format("expected a multiple of patch_size, {}", patch));
  constexpr std::uint32_t kLargest = 1U << 14;
  if (image > kLargest || channels > kLargest)
    keys.fail("image_size", fmt::format("expected at most {} pixels and channels", kLargest));
  shape.seq = (image / patch) * (image / patch) + 1;
  shape.patch = channels * patch * patch;
  constexpr std::size_t kImageNet = 1000;
  constexpr std::size_t kMostClasses = 1U << 20;
  const std::size_t classes = keys.entries("id2label");
  shape.vocab =
      static_cast<std::uint32_t>(classes > 0 ? std::min(classes, kMostClasses) : kImageNet);
  if (classes == 0)
    model.notes.emplace_back("classes are not stated: 1,000");
  shape.tied = false;
  shape.learned_positions = true;
  shape.causal = false;
}

const std::map<std::string, Reader>& readers() {
  static const std::map<std::string, Reader> readers{{"bert", read_bert},
                                                     {"deepseek_v2", read_deepseek},
                                                     {"deepseek_v3", read_deepseek},
                                                     {"gpt2", read_gpt2},
                                                     {"llama", read_llama},
                                                     {"mistral", read_llama},
                                                     {"mixtral", read_mixtral},
                                                     {"qwen", read_first_qwen},
                                                     {"qwen2", read_qwen},
                                                     {"qwen2_moe", read_qwen_experts},
                                                     {"vit", read_vit}};
  return readers;
}

std::string precision_of(Keys& keys, const ConfigChoice& choice) {
  if (choice.precision)
    return *choice.precision;
  static const std::map<std::string, std::string> precisions{
      {"float32", "fp32"}, {"float16", "fp16"}, {"bfloat16", "bf16"}};
  const std::string type = keys.text_or("torch_dtype", keys.text_or("dtype", "bfloat16"));
  const auto precision = precisions.find(type);
  if (precision == precisions.end())
    keys.fail("torch_dtype",
              fmt::format("expected float32, float16 or bfloat16, found {}; `precision` gives one "
                          "in its place",
                          in_quotes(type)));
  return precision->second;
}

/// "meta-llama/Llama-2-7b-hf" as a name: "llama-2-7b-hf".
std::string name_of(Keys& keys, const std::string& type, const std::filesystem::path& path) {
  std::string name = keys.text_or("_name_or_path", "");
  name = name.substr(name.rfind('/') + 1);
  if (name.empty())
    name = path.stem() == "config" ? type : path.stem().string();
  for (char& c : name)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
    else if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_'))
      c = '-';
  return name;
}

}  // namespace

std::vector<std::string> configured_models() {
  std::vector<std::string> names;
  for (const auto& [name, reader] : readers())
    names.push_back(name);
  return names;
}

ConfiguredModel read_model_config(const std::filesystem::path& path, const ConfigChoice& choice) {
  const nlohmann::json json = parse_json(read_text_file(path), path.string());
  Keys keys(json, path.string());
  const std::string type = keys.text_or("model_type", "");
  const auto reader = readers().find(type);
  if (reader == readers().end())
    keys.fail("model_type",
              fmt::format("expected one of {}, found {}{}", fmt::join(configured_models(), ", "),
                          in_quotes(type), did_you_mean(type, configured_models())));
  ConfiguredModel model;
  reader->second(keys, model);
  model.shape.model = name_of(keys, type, path);
  model.shape.precision = precision_of(keys, choice);
  model.longest_seq = model.shape.seq;
  model.shape.seq = choice.seq.value_or(model.shape.seq);
  try {
    check_transformer(model.shape);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path.string(), error.what()));
  }
  return model;
}

}  // namespace stepcast
