#pragma once

#include <string>

namespace stepcast {

/// Throws InputError if a file could not be written there: its folder is missing or read-only, or
/// it is a folder itself. To be called before long work; writing may still fail later.
void check_writable(const std::string& path);

}  // namespace stepcast
