#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/network/cluster.hpp"
#include "models/schedule/plan.hpp"
#include "models/workload/workload.hpp"

namespace stepcast {

/// One option of a schedule as users see it.
struct OptionInfo {
  std::string name;           ///< "fusion_buffer"
  std::string default_value;  ///< "25MiB"
  std::string meaning;        ///< One line, with the unit or the choices.
};

/// Options given by the user, as text; every schedule checks its own.
using ScheduleOptions = std::map<std::string, std::string>;

/// A published system: a name, its options, and the function that writes its plan.
struct ScheduleInfo {
  std::string name;     ///< "dear"
  std::string summary;  ///< One line.
  std::string source;   ///< Paper.
  std::vector<OptionInfo> options;
  Plan (*build)(const Workload&, const Cluster&, const ScheduleOptions&);
  bool second_order =
      false;                ///< Needs layers with Kronecker factors; takes other iteration counts.
  bool compressed = false;  ///< Sends less than the gradients: convergence may suffer.
  bool accumulates_itself = true;  ///< False: build_plan() adds the passes of `accumulation`.
};

}  // namespace stepcast
