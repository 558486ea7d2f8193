#pragma once
// What a family of models is: one row of a table.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traces/readers/huggingface/config_keys.hpp"
#include "traces/readers/huggingface/model_config.hpp"
#include "traces/readers/huggingface/model_tensors.hpp"

namespace stepcast {

/// Tensors that a family has, always or where its file says so.
struct FamilyTensors {
  std::span<const Tensor> tensors;
  const char* key = nullptr;   ///< The flag that adds them; "!key": the flag that leaves them out.
  bool usual = true;           ///< Whether they are there where the file lacks the key.
  const char* task = nullptr;  ///< The only task that has them, such as "ForMaskedLM".
};

/// A model while its file is read.
struct ModelDraft {
  ConfiguredModel& model;
  Transformer& shape;
  TensorSizes sizes{};                          ///< Those that the shape does not tell; else 0.
  std::vector<std::span<const Tensor>> more{};  ///< Tensors of an unusual form of the family.
  TensorSizes encoder_sizes{};                  ///< Those of an encoder, and its unusual tensors.
  std::vector<std::span<const Tensor>> encoder_more{};

  std::uint64_t& size(TensorSize size) { return sizes.at(static_cast<std::size_t>(size)); }
};

/// One row: the tensors of a family, and how its file differs from the usual one. Defaults of keys
/// are those of the family's configuration class in transformers.
struct ModelFamily {
  std::string_view type;                 ///< "model_type" of its files.
  std::vector<FamilyTensors> tensors{};  ///< Without the head's matrix, which `tied` tells; none:
                                         ///< what the shape gives.
  std::vector<FamilyTensors> encoder{};  ///< Tensors of an encoder before the decoder, of which
                                         ///< the others then are.
  bool gated = true;                     ///< Three matrices in an MLP.
  bool tied = false;                     ///< Where the file does not say.
  bool causal = true;
  bool experts = false;            ///< Several MLPs in a block.
  bool heads = true;               ///< Blocks with attention.
  bool learned_positions = false;  ///< A vector for each position.
  std::uint32_t head_dim = 0;      ///< Where the file does not say; 0: hidden / heads.
  std::uint32_t seq = 2048;        ///< Longest sequence, where the file does not say.
  std::uint32_t inner = 0;         ///< Inner size over the hidden one, where the file does not
                                   ///< say; 0: it has to.
  const char* task = nullptr;      ///< What follows the model's name in "architectures" where the
                                   ///< file does not say; none: only one is known.
  void (*adjust)(const ConfigKeys& keys, ModelDraft& draft) = nullptr;  ///< Reads what is unusual.
};

namespace tensors {

using Rows = std::vector<FamilyTensors>;

/// Rows with some more.
inline Rows joined(Rows rows, const Rows& more) {
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

/// Reads the experts of a model: their number, size, those for all tokens, first blocks without.
/// Throws InputError where blocks with and without experts come in another order.
void read_experts(const ConfigKeys& keys, ModelDraft& draft);

}  // namespace tensors

/// The families of decoders, of decoders with experts or latent attention, and of encoders.
std::span<const ModelFamily> decoder_families();
std::span<const ModelFamily> expert_families();
std::span<const ModelFamily> encoder_families();
/// The families with an encoder and a decoder, and those that scan (Mamba).
std::span<const ModelFamily> two_stack_families();
std::span<const ModelFamily> scanning_families();

}  // namespace stepcast
