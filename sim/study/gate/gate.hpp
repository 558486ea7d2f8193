#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/forecast/forecast.hpp"
#include "traces/formats/stepcast/results/results_reader.hpp"

namespace stepcast {

/// What became of a case since the baseline.
enum class GateOutcome { Passed, Slower, Missing, New };

struct GateCase {
  std::string name;               ///< "dear", with its job where jobs differ
  std::optional<Seconds> before;  ///< None: the baseline does not have it.
  std::optional<Seconds> now;     ///< None: only the baseline has it.
  double change = 0;              ///< now / before - 1, where both are known.
  GateOutcome outcome = GateOutcome::Passed;
};

/// Results against those of before.
struct Gate {
  double most = 0;    ///< The largest change allowed: 0.02 is 2 % slower.
  std::string job{};  ///< Of all cases; "" where they differ.
  std::vector<GateCase> cases;

  bool passed() const;  ///< No case is slower than allowed, and none is missing.
};

/// Pairs the results of two files and compares their steps. A case is what workload, cluster, size,
/// batch, fidelity and schedule say; where several results of a file agree in all of these, what
/// varied in the sweep, then all options tell them apart. So a schedule with another option is
/// compared with what it was before. The baseline's order, new cases last. Throws InputError if two
/// results cannot be told apart or no case is in both.
Gate compare_results(const std::vector<WrittenResult>& baseline,
                     const std::vector<WrittenResult>& results, double most);

/// A forecast of this run as if it had been written and read again.
WrittenResult written(const Forecast& forecast);

std::string name_of(GateOutcome outcome);  ///< "passed", "slower", "missing", "new"

}  // namespace stepcast
