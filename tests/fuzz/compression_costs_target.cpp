#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/formats/stepcast/device_costs_reader.hpp"

namespace stepcast::fuzz {

bool accepts_compression_costs(std::string_view text) {
  return accepts([&] {
    const CompressionCosts costs = parse_compression_costs(text, "input");
    require(costs.memory_bandwidth > BytesPerSecond{}, "a memory has a bandwidth");
    require(costs.sample > 0 && costs.sample <= 1, "a sample is a part");
  });
}

}  // namespace stepcast::fuzz
