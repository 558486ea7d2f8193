#include <iterator>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "traces/json/json_text.hpp"
#include "traces/readers/stepcast/workload_file.hpp"

namespace stepcast {

namespace {

constexpr std::size_t kEdgesPerLine = 8;

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

std::string layers_text(const Workload& workload) {
  std::vector<std::string> lines;
  for (const Layer& layer : workload.layers)
    lines.push_back("    " + layer_text(layer));
  return fmt::format("{}", fmt::join(lines, ",\n"));
}

std::string edges_text(const Workload& workload) {
  std::string text;
  for (std::size_t i = 0; i < workload.edges.size(); ++i) {
    const auto& [producer, consumer] = workload.edges[i];
    const char* separator = i == 0 ? "    " : i % kEdgesPerLine == 0 ? ",\n    " : ", ";
    text += fmt::format("{}[{}, {}]", separator, producer, consumer);
  }
  return text;
}

}  // namespace

std::string to_json_text(const Workload& workload) {
  std::string text = "{\n";
  const auto line = [&](std::string_view key, std::string_view value) {
    fmt::format_to(std::back_inserter(text), "  \"{}\": {},\n", key, value);
  };
  line("format", json_string(kWorkloadFormat));
  line("version", fmt::to_string(kWorkloadVersion));
  line("name", json_string(workload.name));
  line("model", json_string(workload.model));
  line("device", json_string(workload.device));
  line("batch", fmt::to_string(workload.batch));
  if (workload.passes > 1)
    line("passes", fmt::to_string(workload.passes));
  if (workload.model_group > 1)
    line("model_group", fmt::to_string(workload.model_group));
  line("precision", json_string(workload.precision));
  line("batch_scaling", json_string(name_in(kBatchScalingNames, workload.batch_scaling)));
  line("provenance", indented_provenance(workload.provenance));
  if (workload.update > Seconds{})
    line("update_s", json_number(workload.update.value));
  if (workload.input > Seconds{})
    line("input_per_sample_s", json_number(workload.input.value));
  if (workload.pipeline)
    line(kRecordedPipeline, pipeline_text(*workload.pipeline));
  text += fmt::format("  \"layers\": [\n{}\n  ]", layers_text(workload));
  if (!workload.edges.empty()) {
    text += fmt::format(",\n  \"edges\": [\n{}\n  ]", edges_text(workload));
  }
  return text + "\n}\n";
}

}  // namespace stepcast
