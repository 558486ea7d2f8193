#pragma once

#include <string>

#include "sim/study/goodput/job_life.hpp"

namespace stepcast {

// What a user types for goodput. All throw InputError naming the option.

/// "auto" and nothing: 0.
Seconds interval_of(const std::string& text);

/// "auto": 0; nothing: the default.
std::uint32_t goodput_seeds_of(const std::string& text);

/// A number; nothing and "auto": 0.
std::uint32_t spares_of(const std::string& text);

/// Nothing: restart.
LossPolicy policy_of(const std::string& text);

}  // namespace stepcast
