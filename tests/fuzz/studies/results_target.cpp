// What `run --json` and `compare --json` wrote (gate, report, --against).
#include "sim/study/gate/gate.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/support/input_files.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/formats/stepcast/results/results_reader.hpp"

namespace stepcast::fuzz {

bool accepts_results(std::string_view text) {
  return accepts([&] {
    const std::vector<WrittenResult> results = read_results(written_inputs(text, 1).front());
    require(!results.empty(), "a file of results holds one");
    for (const WrittenResult& result : results)
      require(std::isfinite(result.iteration_time.value) && result.iteration_time > Seconds{},
              "an iteration takes a time");
  });
}

}  // namespace stepcast::fuzz
