#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/workload/transformer/transformer.hpp"

namespace stepcast {

/// What a configuration file does not say of a workload.
struct ConfigChoice {
  std::optional<std::uint32_t> seq;      ///< Default: as long as the model takes.
  std::optional<std::string> precision;  ///< Default: of the file, else bf16.
};

/// A model as its configuration file describes it.
struct ConfiguredModel {
  Transformer shape;                   ///< The decoder's, where there is an encoder too.
  std::optional<Transformer> encoder;  ///< The blocks of `shape` attend to its output.
  std::uint32_t longest_seq = 0;       ///< Tokens that the file's positions allow.
  std::vector<std::string> notes;      ///< What the shape leaves out or puts in another's place.
};

/// Returns the parameters of the whole model.
std::uint64_t parameter_count(const ConfiguredModel& model);

/// Reads config.json of a model of Hugging Face's transformers (configs/model_families.json). The
/// shape has the model's exact number of parameters: what its sizes do not tell was counted tensor
/// by tensor. Keys that say nothing of shapes are passed over. Throws InputError naming file and
/// key.
ConfiguredModel read_model_config(const std::filesystem::path& path, const ConfigChoice& choice);

}  // namespace stepcast
