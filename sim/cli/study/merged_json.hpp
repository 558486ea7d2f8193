#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/json/spooled_text.hpp"

namespace stepcast {

/// A study of lists put together of its parts, as JSON.
struct MergedJson {
  SpooledText text{};  ///< Empty: there is no combination in the parts.
  bool died = false;   ///< A worker, at one of the combinations.
};

/// Throws InputError as MergedStudy does, and where a combination was refused as the comparison
/// itself would have ended.
MergedJson merged_json(const std::vector<std::string>& files, bool partial, std::uint32_t workers);

}  // namespace stepcast
