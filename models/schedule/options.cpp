#include "models/schedule/options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"

namespace stepcast {

void OptionReader::fail(const std::string& name, const std::string& why) const {
  throw InputError(fmt::format("{}: option {}: {}", schedule_, name, why));
}

Bytes OptionReader::size(const std::string& name) const {
  try {
    return parse_bytes(text(name));
  } catch (const InputError& error) {
    fail(name, error.what());
  }
}

Bytes OptionReader::size_from(const std::string& name, Bytes least) const {
  const Bytes found = size(name);
  if (found < least)
    fail(name, fmt::format("expected a size of at least {}, found \"{}\"", format_bytes(least),
                           text(name)));
  return found;
}

std::uint32_t OptionReader::count(const std::string& name, std::uint32_t least) const {
  try {
    return parse_count(text(name), least);
  } catch (const InputError& error) {
    fail(name, error.what());
  }
}

double OptionReader::number(const std::string& name, double least) const {
  double value = 0;
  try {
    value = parse_number(text(name));
  } catch (const InputError& error) {
    fail(name, error.what());
  }
  if (value < least)
    fail(name, fmt::format("expected a number of at least {}, found \"{}\"", least, text(name)));
  return value;
}

std::uint32_t OptionReader::repeats(const std::string& name) const {
  constexpr std::uint32_t kMost = 1024;
  const std::uint32_t found = count(name, 1);
  if (found > kMost)
    fail(name, fmt::format("expected a whole number from 1 to {}, found {}", kMost, found));
  return found;
}

const std::string& OptionReader::choice(const std::string& name,
                                        std::initializer_list<std::string_view> choices) const {
  index_of_choice(name, {choices.begin(), choices.size()});
  return text(name);
}

std::size_t OptionReader::index_of_choice(const std::string& name,
                                          std::span<const std::string_view> choices) const {
  const std::string& value = text(name);
  const auto found = std::ranges::find(choices, value);
  if (found != choices.end())
    return static_cast<std::size_t>(found - choices.begin());
  const std::vector<std::string> names(choices.begin(), choices.end());
  fail(name, fmt::format("expected one of {}, found \"{}\"{}", fmt::join(names, ", "), value,
                         did_you_mean(value, names)));
}

Seconds OptionReader::time_or(const std::string& name, Seconds of_cluster) const {
  if (text(name) == "cluster")
    return of_cluster;
  try {
    return parse_seconds(text(name));
  } catch (const InputError& error) {
    fail(name, error.what());
  }
}

Bytes OptionReader::size_or(const std::string& name, Bytes of_cluster) const {
  return text(name) == "cluster" ? of_cluster : size(name);
}

Algorithm OptionReader::algorithm(const std::string& name, CollectiveKind kind) const {
  const auto found = find_algorithm(text(name));
  if (found && supports(*found, kind))
    return *found;
  std::vector<std::string> names;
  for (const Algorithm each : all_algorithms())
    if (supports(each, kind))
      names.emplace_back(name_of(each));
  fail(name, fmt::format("expected one of {}, found \"{}\"{}", fmt::join(names, ", "), text(name),
                         did_you_mean(text(name), names)));
}

}  // namespace stepcast
