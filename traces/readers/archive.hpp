#pragma once

#include <string_view>

namespace stepcast {

/// What to tell the user of a file that begins like an archive, or like a compression that is not
/// read: "is a tar archive: unpack it first (tar -xf)". Empty for any other.
std::string_view archive_advice(std::string_view head);

}  // namespace stepcast
