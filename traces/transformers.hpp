#pragma once

#include <optional>
#include <string>

#include "models/workload/transformer/transformer_text.hpp"
#include "models/workload/transformer/transformer_workload.hpp"

namespace stepcast {

/// The law of a device by name or path, if it has one; where that is another's, scaled by their
/// data sheets. Throws InputError naming file and field.
std::optional<TrainingLaw> find_training_law(const std::string& device);

/// The same. Throws InputError for a device without a law.
TrainingLaw load_training_law(const std::string& device);

/// The transformer with the law of its device, and what was measured of its parts: that of the
/// request's file, which must be of its shape and device, or the given.
Workload load_transformer(const TransformerRequest& request);
Workload load_transformer(const TransformerRequest& request, MeasuredParts measured);

/// The transformer that is named in line or is the file of that path; none where the name is that
/// of another workload. Throws InputError.
std::optional<Workload> find_transformer_model(const std::string& name);

}  // namespace stepcast
