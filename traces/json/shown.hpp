#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace stepcast {

/// A value as an error message shows it: on one line and short, whatever it holds.
std::string shown(const nlohmann::json& value);

}  // namespace stepcast
