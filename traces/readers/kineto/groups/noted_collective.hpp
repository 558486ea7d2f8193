#pragma once

#include <optional>

#include "traces/readers/kineto/kineto_trace.hpp"

namespace stepcast {

/// Not negative, not huge: -1 stands for none.
bool is_count(std::optional<double> number);

/// A number that is a count, else 0.
std::uint64_t count_of(std::optional<double> number);

/// What an event's arguments tell of its collective.
KinetoCollective noted_collective(const ChromeEvent& event);

}  // namespace stepcast
