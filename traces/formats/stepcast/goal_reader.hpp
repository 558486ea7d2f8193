#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/provenance.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {

/// How long one way of training takes to the target: epochs or iterations, one of the two.
struct Attempt {
  std::string label;  ///< "K-FAC every 100 steps"; the schedule's name if none is given.
  std::string schedule;
  ScheduleOptions options;
  std::optional<double> epochs;
  std::optional<double> iterations;
  Provenance provenance;
  bool given = false;  ///< The user typed the count; no file does.
};

/// A target of training, and what reaches it.
struct Goal {
  std::string name;
  std::string target;         ///< "75.9 % top-1 on ImageNet"
  std::string model;          ///< Which model of workload the counts are of; empty: any.
  std::uint64_t samples = 0;  ///< In one epoch; 0 if no attempt counts epochs.
  std::vector<Attempt> attempts;
};

/// Reads a goal file (`"format": "stepcast-goal"`, version 1) strictly; a name is looked for in
/// traces/published/goals. Throws InputError naming file and field.
Goal load_goal(const std::string& name);

/// The same from text; `origin` names it in errors.
Goal parse_goal(std::string_view text, const std::string& origin);

/// The file behind the name of a goal, or behind a path. Throws InputError naming the nearest.
std::filesystem::path find_goal(const std::string& name);

/// Names of the shipped goals, sorted.
std::vector<std::string> goal_names();

}  // namespace stepcast
