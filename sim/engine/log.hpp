#pragma once

#include <string_view>

namespace stepcast::log {

/// The log goes to stderr through spdlog. Its level is the environment variable STEPCAST_LOG
/// (debug, info, warning, error, off); default: warning.
void debug(std::string_view message);
bool shows_debug();

/// A line of SimGrid's own log. `priority` is its name there: "DEBUG", "INFO", "WARNING", ...
void from_simgrid(std::string_view priority, std::string_view message);

}  // namespace stepcast::log
