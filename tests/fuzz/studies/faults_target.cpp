// A table of recorded faults (goodput --faults).
#include "sim/study/goodput/fault_file.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/support/input_files.hpp"
#include "tests/fuzz/targets.hpp"

namespace stepcast::fuzz {

bool accepts_faults(std::string_view text) {
  return accepts([&] {
    const std::string path = written_inputs(text, 1).front().string();
    const RecordedFleet fleet = read_fleet(path, {}, {});
    require(fleet.length > Seconds{} && std::isfinite(fleet.length.value), "a record has a length");
    for (const Outage& outage : fleet.outages)
      require(outage.node < fleet.servers && finite_and_not_negative(outage.begin.value) &&
                  outage.begin <= outage.end,
              "a fault is of a server of the fleet, and ends after it began");
  });
}

}  // namespace stepcast::fuzz
