#pragma once

#include <optional>
#include <string>

#include "models/workload/transformer/transformer_text.hpp"
#include "models/workload/transformer/transformer_workload.hpp"

namespace stepcast {

/// The law of a device by name or path. Throws InputError for one without a law.
TrainingLaw load_training_law(const std::string& device);

/// The transformer with the law of its device.
CutModel load_transformer(const TransformerRequest& request);

/// The transformer that is named in line or is the file of that path; none where the name is that
/// of another workload. Throws InputError.
std::optional<CutModel> find_transformer_model(const std::string& name);

}  // namespace stepcast
