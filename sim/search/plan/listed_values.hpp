#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/option_info.hpp"

namespace stepcast {

/// The values that a user lists of an option, in place of the usual ones.
class ListedValues {
 public:
  explicit ListedValues(const ScheduleOptions& options) : options_(options) {}

  std::vector<std::uint32_t> counts(const char* name, std::vector<std::uint32_t> usual) const {
    const auto found = options_.find(name);
    if (found == options_.end() || found->second == "auto")
      return usual;
    try {
      return {parse_count(found->second, 1)};
    } catch (const InputError& error) {
      throw InputError(fmt::format("`set` {}={}: {}", name, found->second, error.what()));
    }
  }

  template <std::size_t N>
  std::vector<std::uint8_t> words(const char* name, const std::array<const char*, N>& words,
                                  std::vector<std::uint8_t> usual) const {
    const auto found = options_.find(name);
    if (found == options_.end())
      return usual;
    const auto word = std::ranges::find(words, found->second);
    if (word == words.end())
      throw InputError(fmt::format("`set` {}={}: expected one of {}", name, found->second,
                                   fmt::join(words, ", ")));
    return {static_cast<std::uint8_t>(word - words.begin())};
  }

 private:
  const ScheduleOptions& options_;
};

}  // namespace stepcast
