#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stepcast {

/// The values of a line of a CSV table. A comma within double quotes is none, two double quotes
/// there are one, and a carriage return is dropped.
std::vector<std::string> csv_values(std::string_view line);

}  // namespace stepcast
