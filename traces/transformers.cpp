#include "traces/transformers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/catalog.hpp"
#include "traces/readers/stepcast/transformers/training_law_reader.hpp"
#include "traces/readers/stepcast/transformers/transformer_reader.hpp"

namespace stepcast {

TrainingLaw load_training_law(const std::string& device) {
  std::vector<std::string> known;
  for (const std::string& each : list_names(CatalogKind::Device))
    if (find_training_law(find_file(CatalogKind::Device, each)))
      known.push_back(each);
  const bool is_file = device.ends_with(".json");
  if (is_file || std::ranges::find(known, device) != known.end())
    if (auto law = find_training_law(find_file(CatalogKind::Device, device)))
      return *std::move(law);
  throw InputError(fmt::format("device: expected one with a law ({}), found {}{}",
                               fmt::join(known, ", "), in_quotes(device),
                               did_you_mean(device, known)));
}

CutModel load_transformer(const TransformerRequest& request) try {
  TransformerModel model{request.shape, load_training_law(request.device)};
  products_of(model.law, request.shape.precision);
  Workload workload = transformer_workload(model, request.device, request.batch);
  return {.workload = std::move(workload), .transformer = std::move(model)};
} catch (const InputError& error) {
  throw InputError(fmt::format("transformer: {}", error.what()));
}

std::optional<CutModel> find_transformer_model(const std::string& name) {
  if (name.starts_with(kTransformerPrefix))
    return load_transformer(parse_transformer(name));
  if (!name.ends_with(".json"))
    return std::nullopt;
  const auto request = find_transformer_file(name);
  return request ? std::optional(load_transformer(*request)) : std::nullopt;
}

}  // namespace stepcast
