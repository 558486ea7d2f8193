#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/schedule/option_info.hpp"

namespace stepcast {

/// What is stated of a model beside its sizes; see ModelForm.
struct StatedForm {
  std::optional<bool> gated{};
  std::optional<bool> tied{};
  std::optional<bool> learned_positions{};
};

/// A model that was published: its name, and the sizes by which another of that name is told apart.
struct PublishedModel {
  std::string model;
  std::uint32_t hidden = 0;
  std::uint32_t ffn = 0;
  StatedForm form{};
};

/// What the rows of a set of measured cases do not say: the cluster, and how its software works.
struct CaseSetup {
  std::string cluster;                                  ///< Name; sized to each row's GPUs.
  std::map<std::string, std::string> clusters{};        ///< The same for rows of other devices.
  ScheduleOptions usual;                                ///< Options where the row says nothing,
  std::map<std::string, ScheduleOptions> precisions{};  ///< of rows of a precision others,
  std::map<std::string, ScheduleOptions> devices{};     ///< and of rows of a device,
  ScheduleOptions always;  ///< and those that win over the row, for a reason in the file.
  StatedForm form{};       ///< Of all its models that are not published ones.
};

struct CaseSetups {
  std::map<std::string, CaseSetup> sets;  ///< By name.
  std::vector<PublishedModel> models;
};

/// configs/cases/sets.json. Throws InputError naming file and field.
CaseSetups load_case_setups();
CaseSetups read_case_setups(const std::filesystem::path& path);

}  // namespace stepcast
