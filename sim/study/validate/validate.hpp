#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/statistics.hpp"
#include "sim/engine/engine.hpp"
#include "traces/formats/stepcast/experiments/measurements_reader.hpp"

namespace stepcast {

/// A measured case and what the simulator says of it.
struct Validation {
  std::string workload;
  std::string cluster;
  std::string schedule;
  std::string label;       ///< What the source calls the system; may be empty.
  std::uint32_t gpus = 0;  ///< That train: not those of remote parameter servers.
  MeasurementUse use = MeasurementUse::Check;
  Seconds measured{};
  Seconds predicted{};
  Notes notes{};  ///< What was extrapolated from measured collectives, and which costs the cluster
                  ///< does not give.

  double error() const { return predicted / measured - 1; }  ///< Signed, relative.
};

/// How cases are predicted. The result is the same for any number of workers.
struct ValidationRules {
  std::uint32_t workers = 1;                ///< Processes.
  std::function<void()> predicted = [] {};  ///< Called after each case, as they end.
};

/// Predicts every case, in their order, in forked processes. `extra` settings apply on top of each
/// case's own. Throws InputError as loading the workload or cluster does.
std::vector<Validation> validate(const std::vector<MeasuredCase>& cases, const Settings& extra,
                                 Fidelity fidelity, const ValidationRules& rules = {});

/// Relative errors of the cases of one use.
ErrorSummary summarise(std::span<const Validation> validations, MeasurementUse use);

/// The check cases of one schedule.
ErrorSummary summarise_checks(std::span<const Validation> validations, std::string_view schedule);

}  // namespace stepcast
