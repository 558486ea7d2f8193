#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/formats/stepcast/architecture_reader.hpp"

namespace stepcast::fuzz {

bool accepts_architecture(std::string_view text) {
  return accepts([&] {
    const Architecture architecture = parse_architecture(text, "input");
    require(!architecture.layers.empty(), "an architecture has a layer");
    for (const ArchitectureLayer& layer : architecture.layers) {
      require(finite_and_not_negative(layer.macs), "multiply-accumulates are a count");
      require(finite_and_not_negative(layer.output_elements), "elements are a count");
    }
  });
}

}  // namespace stepcast::fuzz
