#pragma once

#include <filesystem>
#include <string_view>

namespace stepcast {

/// Where a part of StepCast that is loaded on demand lies, such as "stepcast_simgrid.so". A name of
/// a file that is not there where this build lacks the part.
std::filesystem::path module_file(std::string_view name);

}  // namespace stepcast
