#include "traces/formats/huggingface/model_config.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/formats/huggingface/model_family.hpp"
#include "traces/json/strict_json.hpp"

// A file is read in three steps. Its sizes become a shape, from which the forecast's times follow.
// Its family's table lists all tensors, and their numbers are added up by part. Where the shape's
// sizes alone give another number, the shape carries what was counted.

namespace stepcast {
namespace {

constexpr ConfigKeys::Names kLayers{"num_hidden_layers", "n_layer", "n_layers", "num_layers",
                                    "decoder_layers"};
constexpr ConfigKeys::Names kHidden{"hidden_size", "n_embd", "n_embed", "d_model", "dim"};
constexpr ConfigKeys::Names kHeads{"num_attention_heads", "n_head", "n_heads", "num_heads",
                                   "decoder_attention_heads"};
constexpr ConfigKeys::Names kKeyHeads{"num_key_value_heads", "num_kv_heads", "n_head_kv"};
constexpr ConfigKeys::Names kInner{"intermediate_size", "ffn_dim",    "n_inner",
                                   "ffn_hidden_size",   "hidden_dim", "d_ff",
                                   "decoder_ffn_dim"};
constexpr ConfigKeys::Names kHeadSize{"head_dim", "kv_channels", "attention_head_dim", "d_kv"};
constexpr ConfigKeys::Names kVocabulary{"vocab_size", "padded_vocab_size"};
constexpr ConfigKeys::Names kLongest{"max_position_embeddings", "n_positions",      "seq_length",
                                     "max_sequence_length",     "model_max_length", "max_seq_len"};

const ModelFamily* find_family(const std::string& type) {
  const auto found = std::ranges::find(model_families(), type, &ModelFamily::type);
  return found == model_families().end() ? nullptr : &*found;
}

/// Tensors of an unknown family cannot be told from its sizes, nor from a family with a similar
/// name.
[[noreturn]] void refuse_family(const ConfigKeys& keys, const std::string& type) {
  if (type.empty())
    keys.fail("model_type", "missing: expected the name of a family, such as llama");
  if (keys.entries("text_config") > 0)
    keys.fail("model_type",
              fmt::format("{} is of several models; write the object under text_config into a file "
                          "of its own to derive its language model",
                          in_quotes(type)));
  std::vector<const char*> lacks;
  for (const ConfigKeys::Names& names : {kLayers, kHidden, kHeads, kInner, kVocabulary})
    if (!keys.has(names))
      lacks.push_back(*names.begin());
  keys.fail(
      "model_type",
      fmt::format("{} is no family of configs/model_families.json, and a file does not say what "
                  "tensors its blocks have; {}write a shape in line instead: run --workload "
                  "transformer:layers=..",
                  in_quotes(type),
                  lacks.empty() ? "" : fmt::format("it lacks {}, too; ", fmt::join(lacks, ", "))));
}

void read_sizes(const ConfigKeys& keys, const ModelFamily& family, Transformer& shape) {
  // Files of GPT-2 may leave out what its configuration class has.
  const bool first = family.type == "gpt2";
  shape.layers = first ? keys.count_or(kLayers, 12) : keys.count(kLayers);
  shape.hidden = first ? keys.count_or(kHidden, 768) : keys.count(kHidden);
  shape.ffn =
      family.inner > 0 ? keys.count_or(kInner, family.inner * shape.hidden) : keys.count(kInner);
  if (!family.heads)
    return;
  shape.heads = first ? keys.count_or(kHeads, 12) : keys.count(kHeads);
  shape.kv_heads = keys.count_or(kKeyHeads, shape.heads);
  const std::uint32_t size = keys.count_or(kHeadSize, family.head_dim, 0);
  if (size > 0 && (shape.hidden % shape.heads != 0 || size != shape.hidden / shape.heads))
    shape.head_dim = size;
}

void read_shape(const ConfigKeys& keys, const ModelFamily& family, ModelDraft& draft) {
  Transformer& shape = draft.shape;
  read_sizes(keys, family, shape);
  shape.seq = keys.count_or(kLongest, family.seq);
  shape.gated = family.gated;
  shape.causal = family.causal;
  shape.learned_positions = family.learned_positions;
  shape.tied = keys.flag_or("tie_word_embeddings", family.tied);
  constexpr std::uint32_t kOfGpt2 = 50257;
  shape.vocab = keys.count_or(kVocabulary, kOfGpt2);
  if (family.experts)
    read_experts(keys, draft);
  if (family.adjust != nullptr)
    family.adjust(keys, draft);
  if (shape.sees_images())
    shape.tied = false;
  else if (family.type != "gpt2")
    keys.count(kVocabulary);  // throws where the file has none
  if (draft.model.encoder)
    draft.model.encoder->vocab = shape.vocab;
}

/// What a model is trained for, as the ending of its class says ("BertForMaskedLM"), if the family
/// has tensors for it; else what is usual.
std::string task_of(const ConfigKeys& keys, const ModelFamily& family, ConfiguredModel& model) {
  if (family.task.empty())
    return "";
  std::string task;
  const std::string name = keys.first_text("architectures");
  const auto consider = [&](const std::string& known) {
    if (!known.empty() && name.ends_with(known))
      task = known;
  };
  consider("Model");
  for (const FamilyTensors& each : family.tensors)
    consider(each.task);
  if (!task.empty())
    return task;
  model.notes.push_back(
      fmt::format("{}: its head is counted as that of a model whose class ends "
                  "with {}",
                  name.empty() ? "architectures is not stated" : name, family.task));
  return family.task;
}

bool has_tensors(const ConfigKeys& keys, const FamilyTensors& each, const std::string& task) {
  if (!each.task.empty())
    return task == each.task;
  if (each.key.empty())
    return true;
  return keys.flag_or(each.key.c_str(), each.usual != each.leaves_out) != each.leaves_out;
}

CountedParts counted_parts(const ConfigKeys& keys, const std::vector<FamilyTensors>& rows,
                           const std::vector<std::string>& more, const TensorSizes& sizes,
                           const std::string& task) {
  CountedParts counted;
  for (const FamilyTensors& each : rows)
    if (has_tensors(keys, each, task))
      counted.add(tensors_called(each.name), sizes);
  for (const std::string& each : more)
    counted.add(tensors_called(each), sizes);
  return counted;
}

void count_tensors(const ConfigKeys& keys, const ModelFamily& family, ModelDraft& draft) {
  const std::string task = task_of(keys, family, draft.model);
  Transformer& shape = draft.shape;
  fill_sizes(draft.sizes, shape);
  CountedParts counted = counted_parts(keys, family.tensors, draft.more, draft.sizes, task);
  if (!shape.tied && !shape.sees_images())
    counted.add(tensors_called("head_matrix"), draft.sizes);
  for (const FamilyTensors& each : family.tensors)
    if (each.name == "pooler" && has_tensors(keys, each, task))
      shape.pooler = !shape.sees_images();
  if (!shape.causal && !shape.sees_images())
    draft.model.notes.emplace_back(
        "every token is predicted with the embedding's matrix, and nothing else of a head is "
        "timed");
  set_counted(shape, counted);
  if (draft.model.encoder) {
    fill_sizes(draft.encoder_sizes, *draft.model.encoder);
    set_counted(*draft.model.encoder,
                counted_parts(keys, family.encoder, draft.encoder_more, draft.encoder_sizes, task));
  }
}

/// Sets how long the sequences of a step are. Frames of sound are always as many.
void set_sequence(ConfiguredModel& model, const ConfigChoice& choice) {
  model.longest_seq = model.shape.seq;
  model.shape.seq = choice.seq.value_or(model.shape.seq);
  if (!model.encoder)
    return;
  if (!model.encoder->sees_images())
    model.encoder->seq = model.shape.seq;
  model.shape.encoder_seq = model.encoder->seq;
}

/// Attention within a window costs less than over the whole sequence, which is what is timed.
void note_windows(const ConfigKeys& keys, ConfiguredModel& model) {
  if (!keys.flag_or("use_sliding_window", true))
    return;
  for (const char* key : {"sliding_window", "local_attention"})
    if (const std::uint32_t window = keys.count_or({key}, 0, 0);
        window > 0 && window < model.shape.seq)
      model.notes.push_back(
          fmt::format("layers that see a window of {} tokens are timed as if they "
                      "saw all {}",
                      window, model.shape.seq));
}

std::string precision_of(const ConfigKeys& keys, const ConfigChoice& choice) {
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
std::string name_of(const ConfigKeys& keys, const std::string& type,
                    const std::filesystem::path& path) {
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

std::uint64_t parameter_count(const ConfiguredModel& model) {
  return parameter_count(model.shape) + (model.encoder ? parameter_count(*model.encoder) : 0);
}

ConfiguredModel read_model_config(const std::filesystem::path& path, const ConfigChoice& choice) {
  const nlohmann::json json = parse_json(read_text_file(path), path.string());
  const ConfigKeys keys(json, path.string());
  const std::string type = keys.text_or("model_type", "");
  const ModelFamily* family = find_family(type);
  if (family == nullptr)
    refuse_family(keys, type);
  ConfiguredModel model;
  ModelDraft draft{.model = model, .shape = model.shape};
  read_shape(keys, *family, draft);
  model.shape.model = name_of(keys, type, path);
  model.shape.precision = precision_of(keys, choice);
  if (model.encoder)
    model.encoder->precision = model.shape.precision;
  if (draft.size(TensorSize::Positions) == 0)
    draft.size(TensorSize::Positions) = model.shape.seq;
  set_sequence(model, choice);
  note_windows(keys, model);
  try {
    check_transformer(model.shape);
    if (model.encoder)
      check_transformer(*model.encoder);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path.string(), error.what()));
  }
  if (!family->tensors.empty())
    count_tensors(keys, *family, draft);
  return model;
}

}  // namespace stepcast
