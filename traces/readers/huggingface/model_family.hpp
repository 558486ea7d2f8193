#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "traces/readers/huggingface/config_keys.hpp"
#include "traces/readers/huggingface/model_config.hpp"
#include "traces/readers/huggingface/model_tensors.hpp"

namespace stepcast {

/// Tensors that a family has, always or where its file says so.
struct FamilyTensors {
  std::string name;         ///< Of tensors_called().
  std::string key{};        ///< The flag that adds them; empty: none does.
  bool leaves_out = false;  ///< It is the flag that leaves them out.
  bool usual = true;        ///< Whether they are there where the file lacks the key.
  std::string task{};       ///< The only task that has them, such as "ForMaskedLM"; empty: all do.
};

/// A model while its file is read.
struct ModelDraft {
  ConfiguredModel& model;
  Transformer& shape;
  TensorSizes sizes{};              ///< Those that the shape does not tell; else 0.
  std::vector<std::string> more{};  ///< Names of tensors of an unusual form of the family.
  TensorSizes encoder_sizes{};      ///< Those of an encoder, and its unusual tensors.
  std::vector<std::string> encoder_more{};

  std::uint64_t& size(TensorSize size) { return sizes.at(static_cast<std::size_t>(size)); }
};

/// One row of configs/model_families.json: the tensors of a family, and how its file differs from
/// the usual one. Defaults of keys are those of the family's configuration class in transformers.
/// The tensors are those of its modelling code.
struct ModelFamily {
  std::string type{};                    ///< "model_type" of its files.
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
  std::string task{};              ///< What follows the model's name in "architectures" where the
                                   ///< file does not say; empty: only one is known.
  void (*adjust)(const ConfigKeys& keys, ModelDraft& draft) = nullptr;  ///< Reads what is unusual.
};

/// All families, as StepCast's data has them. Throws InputError for faulty data.
const std::vector<ModelFamily>& model_families();
/// The tensors of a name in the same file. Precondition: it has them.
const std::vector<Tensor>& tensors_called(const std::string& name);

/// What a family's file says in an unusual way, by the name that its row has for it.
struct Quirk {
  const char* name;
  void (*read)(const ConfigKeys& keys, ModelDraft& draft);
};

/// Of decoders, and of encoders with or without a decoder.
std::span<const Quirk> decoder_quirks();
std::span<const Quirk> encoder_quirks();

/// Reads the experts of a model: their number, size, those for all tokens, first blocks without.
/// Throws InputError where blocks with and without experts come in another order.
void read_experts(const ConfigKeys& keys, ModelDraft& draft);

}  // namespace stepcast
