#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "models/schedule/option_info.hpp"

namespace stepcast {

/// What the rows of a set of measured cases do not say: the cluster, and how its software works.
struct CaseSetup {
  std::string cluster;                                  ///< Name; sized to each row's GPUs.
  std::map<std::string, std::string> clusters{};        ///< The same for rows of other devices.
  ScheduleOptions usual;                                ///< Options where the row says nothing,
  std::map<std::string, ScheduleOptions> precisions{};  ///< of rows of a precision others,
  ScheduleOptions always;  ///< and those that win over the row, for a reason in the file.
  bool gated = false;      ///< MLPs of three matrices, no biases.
  bool tied = true;
};

/// configs/cases/sets.json, by set. Throws InputError naming file and field.
std::map<std::string, CaseSetup> load_case_setups();
std::map<std::string, CaseSetup> read_case_setups(const std::filesystem::path& path);

}  // namespace stepcast
