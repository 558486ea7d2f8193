#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepcast::fuzz {

/// The text with one thing changed: a number made extreme, a line dropped, doubled, moved or put in
/// from `vocabulary`, a value after "=" replaced by another's. What comes out is still lines of
/// settings, of a table or of arguments. The same for the same seed.
std::string mutated_lines(std::string_view text, std::uint32_t seed,
                          std::span<const std::string> vocabulary);

/// What the program knows by name: schedules, their options with values, ways of a layout, laws.
const std::vector<std::string>& vocabulary_of_program();

}  // namespace stepcast::fuzz
