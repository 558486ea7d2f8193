#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/workload/transformer/transformer.hpp"

namespace stepcast {

/// A published model.
struct TransformerPreset {
  Transformer shape;
  double published = 0;  ///< Parameters as its authors count them, in 1e9.
  std::string source;
};

std::vector<std::string> transformer_names();

const std::vector<TransformerPreset>& transformer_presets();

/// "llama-2-7b"; none for an unknown name.
std::optional<Transformer> find_transformer(std::string_view model);

}  // namespace stepcast
