#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace stepcast {

/// The text itself, or what it holds if it is gzip-compressed. Throws InputError, beginning with
/// `origin`, for damaged or truncated gzip data.
std::string gunzip_if_compressed(std::string text, const std::string& origin);

/// Bytes behind the compressed data of a gzip file, which unpacking passes over without a word; 0
/// of other files, and of damaged ones, which reading itself refuses. Unpacks the file once.
std::uint64_t bytes_behind_gzip(const std::filesystem::path& path);

}  // namespace stepcast
