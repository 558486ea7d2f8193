#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/forecast/planned_run.hpp"

namespace stepcast {

/// All that a forecast depends on beside the number of seeds, and the program's version: contents
/// of files, not their names. For a key, not for people: part of it is bytes.
std::string inputs_text(const ScheduledJob& job);

/// inputs_text() in two parts: workload and cluster, then what schedules and options add.
std::string head_of_inputs(const ScheduledJob& job);
std::string rest_of_inputs(const ScheduledJob& job);

/// Takes in a text piece by piece. 16 hexadecimal digits: the same for the same text, and else not
/// but by a chance of 2^-64.
class TextKey {
 public:
  void add(std::string_view text);
  std::string text() const;

 private:
  std::uint64_t hash_ = 1;
};

std::string key_of_text(std::string_view text);

}  // namespace stepcast
