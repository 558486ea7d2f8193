#pragma once
// Texts from files of others, before they reach a message, a report or JSON.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace stepcast {

/// The offset of the first byte that does not belong to well-formed UTF-8, if there is one.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

/// The text with every byte that does not belong to well-formed UTF-8 replaced by "?".
std::string valid_utf8(std::string_view text);

/// At most `most` bytes of the text, cut between two characters and followed by "..." where there
/// is more; bytes that are not UTF-8 are replaced.
std::string abridged(std::string_view text, std::size_t most);

/// "line 3, column 7" of the byte at `offset`.
std::string place_of(std::string_view text, std::size_t offset);

/// Throws InputError `<origin>: line 3, column 7: this byte is not UTF-8 text` if there is one.
void check_utf8(std::string_view text, std::string_view origin);

}  // namespace stepcast
