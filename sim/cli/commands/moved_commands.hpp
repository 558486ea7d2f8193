#pragma once

#include <optional>
#include <string>
#include <vector>

namespace stepcast {

/// What stands for a command that is a part of another one now: "`stepcast edge` is now `stepcast
/// run --edge DEVICES`", with the arguments after the name as far as they are known there. Nothing
/// for other names.
std::optional<std::string> moved_command(const std::string& name,
                                         const std::vector<std::string>& arguments);

}  // namespace stepcast
