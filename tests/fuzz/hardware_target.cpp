#include <string>

#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/formats/stepcast/experiments/hardware_results.hpp"

namespace stepcast::fuzz {

bool accepts_hardware(std::string_view text) {
  return accepts([&] {
    const HardwareResults results = parse_hardware_results(text, "input");
    require(!results.points.empty() || !results.replays.empty(), "something was measured");
    for (const KernelPoint& point : results.points)
      require(point.time.value > 0 && finite_and_not_negative(point.time.value),
              "a kernel takes a time");
    to_json_text(results);
  });
}

}  // namespace stepcast::fuzz
