#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace stepcast {

/// The offset of the first byte that does not belong to well-formed UTF-8, if there is one.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

}  // namespace stepcast
