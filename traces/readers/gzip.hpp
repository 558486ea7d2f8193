#pragma once

#include <string>

namespace stepcast {

/// The text itself, or what it holds if it is gzip-compressed. Throws InputError, beginning with
/// `origin`, for damaged or truncated gzip data.
std::string gunzip_if_compressed(std::string text, const std::string& origin);

}  // namespace stepcast
