#pragma once

#include <cstdint>
#include <filesystem>

namespace stepcast {

/// Bytes behind the compressed data of a gzip file, which unpacking passes over without a word; 0
/// of other files, and of damaged ones, which reading itself refuses. Unpacks the file once.
std::uint64_t bytes_behind_gzip(const std::filesystem::path& path);

}  // namespace stepcast
