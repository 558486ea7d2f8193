#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace stepcast::fuzz {

/// A folder of this process, in memory where there is such a place; removed with it.
const std::filesystem::path& input_folder();

/// The text as files of that folder, and nothing else in it: one, or up to `most` where a line
/// "---" divides it.
std::vector<std::filesystem::path> written_inputs(std::string_view text, std::size_t most);

}  // namespace stepcast::fuzz
