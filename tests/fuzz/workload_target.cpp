#include <string>

#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/formats/stepcast/workload_file.hpp"

namespace stepcast::fuzz {
namespace {

void check_layer(const Layer& layer) {
  require(finite_and_not_negative(layer.forward.value), "a forward pass takes a time");
  require(finite_and_not_negative(layer.backward.value), "a backward pass takes a time");
  require(finite_and_not_negative(layer.activation.value), "an activation has a size");
}

void check_edges(const Workload& workload) {
  for (const auto& [producer, consumer] : workload.edges) {
    require(producer < consumer, "an edge leads forward");
    require(consumer < workload.layers.size(), "an edge ends at a layer");
  }
}

}  // namespace

bool accepts_workload(std::string_view text) {
  return accepts([&] {
    const Workload workload = parse_workload(text, "input");
    require(!workload.layers.empty(), "a workload has a layer");
    for (const Layer& layer : workload.layers) {
      check_layer(layer);
    }
    check_edges(workload);
    const std::string written = to_json_text(workload);
    require(to_json_text(parse_workload(written, "written")) == written,
            "what is written is read back");
  });
}

}  // namespace stepcast::fuzz
