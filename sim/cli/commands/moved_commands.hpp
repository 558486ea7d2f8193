#pragma once

#include <optional>
#include <string>
#include <vector>

namespace stepcast {

/// Returns the command line that replaces a removed command, as "`stepcast edge` is now `stepcast
/// run --edge devices.csv`": with the arguments that were typed after its name, quoted for a shell.
/// Returns nothing for other names.
std::optional<std::string> moved_command(const std::string& name,
                                         const std::vector<std::string>& arguments);

}  // namespace stepcast
