#pragma once

#include <string>
#include <string_view>

namespace stepcast {

/// The text as a gzip file. The same text gives the same bytes: no time, no name in the header.
std::string gzip(std::string_view text);

}  // namespace stepcast
