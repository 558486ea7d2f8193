#pragma once

#include <string>
#include <vector>

#include "sim/forecast/likely_range.hpp"
#include "sim/study/sweep/sweep.hpp"
#include "sim/timeline/parts.hpp"

namespace stepcast {

/// How the parts of a step are told apart.
enum class PartsProtocol : std::uint8_t {
  Exposed,   ///< Of one forecast; communication counts where no compute runs.
  Ablation,  ///< Differences of whole iterations with one part more switched on each time.
};

/// "exposed", "ablation"; throws InputError for another name.
PartsProtocol parse_protocol(const std::string& name);
const char* name_of(PartsProtocol protocol);

/// Where the time of a step goes that its family of systems divides.
struct PartsBreakdown {
  std::string schedule;
  std::string workload;
  Cluster cluster;
  Fidelity fidelity = Fidelity::Flow;
  PartsProtocol protocol = PartsProtocol::Exposed;
  std::vector<NamedTime> parts;  ///< Add up to the iteration, unless some are missing.
  std::size_t missing = 0;       ///< Parts that a signal came before.
  LikelyStep likely{};           ///< Of the iteration; not known where parts are missing.
  std::string note;              ///< What is in parts whose names do not say it.
  Notes notes;
};

/// Of the scenario's only schedule; `rules` are those of an ablation's simulations. When a signal
/// asks to stop an ablation, the parts before the first that is missing are kept. Throws InputError
/// if the schedule has no such parts, or they are set.
PartsBreakdown find_parts_breakdown(const Scenario& scenario, PartsProtocol protocol,
                                    const StudyRules& rules);

}  // namespace stepcast
