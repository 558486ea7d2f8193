#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "traces/formats/stepcast/workload_file.hpp"
#include "traces/json/json_text.hpp"

namespace stepcast {

namespace {

template <class Names, class Value>
std::string_view name_in(const Names& names, Value wanted) {
  for (const auto& [value, name] : names) {
    if (value == wanted)
      return name;
  }
  return "";
}

/// The shape only where the name does not tell it.
std::string parameter_text(const Layer& layer, const Parameter& parameter) {
  const bool told = parameter.matrix == is_named_as_matrix(layer, parameter);
  return fmt::format(R"({{"name": {}, "elements": {}, "dtype": "{}"{}}})",
                     json_string(parameter.name), parameter.elements,
                     name_in(kDataTypeNames, parameter.dtype),
                     told               ? ""
                     : parameter.matrix ? R"(, "shape": "matrix")"
                                        : R"(, "shape": "vector")");
}

std::string layer_text(const Layer& layer) {
  std::string text = fmt::format(
      R"({{"name": {}, "kind": {}, "forward_s": {}, "backward_s": {})", json_string(layer.name),
      json_string(layer.kind), json_number(layer.forward.value), json_number(layer.backward.value));
  if (!layer.parameters.empty()) {
    std::vector<std::string> parameters;
    for (const Parameter& parameter : layer.parameters) {
      parameters.push_back(parameter_text(layer, parameter));
    }
    text += fmt::format(R"(, "parameters": [{}])", fmt::join(parameters, ", "));
  }
  if (layer.activation.value > 0) {
    text += fmt::format(R"(, "activation_bytes": {})", json_number(layer.activation.value));
  }
  if (layer.macs > 0)
    text += fmt::format(R"(, "macs": {})", json_number(layer.macs));
  if (layer.kronecker)
    text += fmt::format(R"(, "kronecker": {{"a": {}, "g": {}, "rows": {}}})", layer.kronecker->a,
                        layer.kronecker->g, layer.kronecker->rows);
  if (layer.forward_launches > 0)
    text += fmt::format(R"(, "forward_launches": {})", layer.forward_launches);
  if (layer.backward_launches > 0)
    text += fmt::format(R"(, "backward_launches": {})", layer.backward_launches);
  return text + "}";
}

}  // namespace

std::string to_json_text(const Workload& workload) {
  JsonFileText file(kWorkloadFormat);
  file.text("name", workload.name);
  file.text("model", workload.model);
  file.text("device", workload.device);
  file.number("batch", workload.batch);
  if (workload.passes > 1)
    file.number("passes", workload.passes);
  if (workload.model_group > 1)
    file.number("model_group", workload.model_group);
  file.text("precision", workload.precision);
  file.text("batch_scaling", name_in(kBatchScalingNames, workload.batch_scaling));
  file.provenance(workload.provenance);
  if (workload.update > Seconds{})
    file.number("update_s", workload.update.value);
  if (workload.input > Seconds{})
    file.number("input_per_sample_s", workload.input.value);
  if (workload.pipeline)
    file.json(kRecordedPipeline, pipeline_text(*workload.pipeline));
  file.lines("layers", workload.layers, layer_text);
  if (!workload.edges.empty())
    file.pairs("edges", workload.edges);
  return std::move(file).finish();
}

}  // namespace stepcast
