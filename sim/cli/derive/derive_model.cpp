#include "sim/cli/derive/derive_model.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/cli/tell.hpp"
#include "traces/formats/huggingface/model_config.hpp"
#include "traces/formats/stepcast/workload_file.hpp"
#include "traces/transformers.hpp"

namespace stepcast {
namespace {

/// The model as --workload takes it in line: so it can be cut over GPUs, which a list of layers
/// cannot.
std::string in_line(const Transformer& shape, const std::string& device, std::uint32_t batch) {
  const auto yes_or_no = [](bool value) { return value ? "yes" : "no"; };
  std::string text = fmt::format(
      "transformer:layers={},hidden={},heads={},kv_heads={},ffn={},seq={},vocab={},gated={},tied={}"
      ","
      "learned_positions={},precision={},device={},batch={}",
      shape.layers, shape.hidden, shape.heads, shape.kv_heads, shape.ffn, shape.seq, shape.vocab,
      yes_or_no(shape.gated), yes_or_no(shape.tied), yes_or_no(shape.learned_positions),
      shape.precision, device, batch);
  if (shape.has_experts())
    text += fmt::format(",experts={},top_k={},shared_experts={}", shape.experts, shape.top_k,
                        shape.shared_experts);
  for (const char* key :
       {"dense_layers", "dense_ffn", "head_dim", "kv_rank", "q_rank", "rope_dim", "patch",
        "segments", "pooler", "causal", "block_parameters", "sparse_parameters",
        "expert_parameters", "embedding_parameters", "head_parameters"})
    if (const std::string value = shape_text(shape, key); value != shape_text({}, key))
      text += fmt::format(",{}={}", key, value);
  return text;
}

/// The longest sequence that a model takes is usually what it is trained on up to some thousand
/// tokens. Longer ones are reached by a short stage at the end, so that the file says nothing of a
/// usual step.
void require_sequence(const ConfiguredModel& model, const std::string& file) {
  constexpr std::uint32_t kMostUsual = 8192;
  if (model.shape.seq > kMostUsual)
    throw InputError(
        fmt::format("{}: takes up to {} tokens and does not say how long a usual sequence is; give "
                    "it with --seq, such as --seq 4096",
                    file, model.shape.seq));
}

/// The times hold for sequences of any length, but the model as configured has no more positions.
void note_long_sequences(ConfiguredModel& model, const std::string& file) {
  if (model.shape.seq <= model.longest_seq)
    return;
  model.notes.push_back(fmt::format("sequences are longer than the {} tokens that the model takes",
                                    model.longest_seq));
  tell("stepcast: note: --seq {}: {} takes up to {} tokens\n", model.shape.seq, file,
       model.longest_seq);
}

Workload workload_of(const ConfiguredModel& model, const std::string& device, std::uint32_t batch) {
  if (!model.encoder)
    return load_transformer({model.shape, device, batch});
  const TrainingLaw law = load_training_law(device);
  products_of(law, model.shape.precision);  // refuses a precision without a law
  return encoder_decoder_workload({*model.encoder, law, {}}, {model.shape, law, {}}, device, batch);
}

/// A file says how the weights are stored. Where the device has no times of products in that
/// precision and the user did not ask for it, the model is taken to be trained in bf16.
void use_timed_precision(ConfiguredModel& model, const std::string& device) {
  const TrainingLaw law = load_training_law(device);
  constexpr const char* kUsual = "bf16";
  if (law.products.contains(model.shape.precision) || !law.products.contains(kUsual))
    return;
  model.notes.push_back(
      fmt::format("weights are stored in {}, of which {} has no times: trained "
                  "in {}",
                  model.shape.precision, device, kUsual));
  tell("stepcast: note: {}; --precision chooses another\n", model.notes.back());
  model.shape.precision = kUsual;
  if (model.encoder)
    model.encoder->precision = kUsual;
}

void tell_how_to_partition(const Transformer& shape, const std::string& device,
                           std::uint32_t batch) {
  if (shape.can_be_partitioned())
    tell("to partition the model over GPUs: --workload {}\n", in_line(shape, device, batch));
  else
    tell(
        "stepcast: note: every GPU holds the whole model: blocks of its kind cannot be "
        "partitioned\n");
}

void require_precision(const std::string& precision) {
  constexpr std::array kKnown{"fp32", "fp16", "bf16", "fp8"};
  if (std::ranges::find(kKnown, precision) == kKnown.end())
    throw InputError(fmt::format("--precision: expected {}, found {}", fmt::join(kKnown, ", "),
                                 in_quotes(precision)));
}

}  // namespace

std::vector<CommandOption> ModelDerivation::options() {
  return {
      {"--hf", "FILE", &file_,
       "config.json of a model of Hugging Face's transformers: layer\ntimes from its shapes and "
       "the "
       "law of --device, without a step time"},
      {"--seq", "N", &seq_,
       "of --hf: tokens of a sequence (default: as many as it takes,\nup to 8192)"},
      {"--precision", "P", &precision_, "of --hf: fp32, fp16, bf16, fp8 (default: the file's)"}};
}

std::string ModelDerivation::first_given() const {
  return seq_ ? "--seq" : precision_.empty() ? "" : "--precision";
}

std::string ModelDerivation::file_text(const std::string& name, const std::string& device,
                                       std::optional<std::uint32_t> batch) const {
  ConfigChoice choice{.seq = seq_};
  if (!precision_.empty()) {
    require_precision(precision_);
    choice.precision = precision_;
  }
  ConfiguredModel model = read_model_config(file_, choice);
  if (!seq_)
    require_sequence(model, file_);
  if (device.empty() || !batch)
    throw InputError(
        fmt::format("derive --hf: expected {}, for example: stepcast derive --hf {} "
                    "--device a100 --batch 8",
                    device.empty() ? "--device" : "--batch", file_));
  note_long_sequences(model, file_);
  if (precision_.empty())
    use_timed_precision(model, device);
  Workload workload = workload_of(model, device, *batch);
  if (!name.empty())
    workload.name = name;
  workload.provenance.notes.push_back(fmt::format(
      "shapes: configuration of {}; sequences of {} tokens", model.shape.model, model.shape.seq));
  for (const std::string& note : model.notes)
    workload.provenance.notes.push_back("shapes: " + note);
  tell_how_to_partition(model.shape, device, *batch);
  return to_json_text(workload);
}

}  // namespace stepcast
