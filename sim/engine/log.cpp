#include "sim/engine/log.hpp"

#include <cstdlib>
#include <memory>
#include <string>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace stepcast::log {
namespace {

std::shared_ptr<spdlog::logger> make_logger() {
  const auto mode = std::getenv("NO_COLOR") != nullptr ? spdlog::color_mode::never
                                                       : spdlog::color_mode::automatic;
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(mode);
  auto logger = std::make_shared<spdlog::logger>("stepcast", std::move(sink));
  logger->set_pattern("%n: %^%l%$: %v");
  const char* level = std::getenv("STEPCAST_LOG");
  logger->set_level(level != nullptr ? spdlog::level::from_str(level) : spdlog::level::warn);
  return logger;
}

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = make_logger();
  return *instance;
}

/// SimGrid speaks of itself and not of the user's input, which errors of ours name: its lines are
/// for who asks for the log, but for the one that it ends the process with.
spdlog::level::level_enum level_of(std::string_view simgrid_priority) {
  return simgrid_priority == "CRITICAL" ? spdlog::level::critical : spdlog::level::debug;
}

}  // namespace

void debug(std::string_view message) {
  logger().debug(message);
}

bool shows_debug() {
  return logger().should_log(spdlog::level::debug);
}

void from_simgrid(std::string_view priority, std::string_view message) {
  logger().log(level_of(priority), "SimGrid: {}", message);
}

}  // namespace stepcast::log
