#pragma once

#include <string>
#include <string_view>

#include "sim/forecast/tuning/tuned_fusion.hpp"

namespace stepcast {

/// All that a forecast depends on beside the number of seeds, and the program's version: contents
/// of files, not their names. For a key, not for people: part of it is bytes.
std::string inputs_text(const TuningJob& job);

/// 16 hexadecimal digits: the same for the same text, and else not but by a chance of 2^-64.
std::string key_of_text(std::string_view text);

}  // namespace stepcast
