#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "models/base/text.hpp"
#include "traces/readers/reader.hpp"

namespace stepcast {

/// The last folder of the path if that is a number, as BytePS and NCCL name it after the local
/// rank; else the place in the list.
inline std::uint32_t rank_of_file(const TraceStream& file, std::size_t place) {
  constexpr std::size_t kMostDigits = 5;
  const std::string folder = std::filesystem::path(file.origin).parent_path().filename().string();
  const bool is_number = !folder.empty() && folder.size() <= kMostDigits &&
                         folder.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? parse_count(folder) : static_cast<std::uint32_t>(place);
}

}  // namespace stepcast
