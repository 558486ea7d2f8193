#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/formats/stepcast/experiments/experiment_reader.hpp"

namespace stepcast::fuzz {

bool accepts_experiment(std::string_view text) {
  return accepts([&] {
    const Experiment experiment = parse_experiment(text, "input");
    require(!experiment.schedules.empty(), "an experiment names a schedule");
  });
}

}  // namespace stepcast::fuzz
