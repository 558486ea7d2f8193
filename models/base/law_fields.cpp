#include "models/base/law_fields.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

std::optional<double> find_fraction(const std::string& text) try {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos)
    return parse_number(text);
  return parse_number(text.substr(0, slash)) / parse_number(text.substr(slash + 1));
} catch (const InputError&) {
  return std::nullopt;
}

}  // namespace

LawFields::LawFields(std::string law, std::string_view text) : law_(std::move(law)) {
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    add(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
}

void LawFields::add(std::string_view item) {
  const std::size_t equals = item.find('=');
  if (equals == std::string_view::npos)
    throw InputError(fmt::format("{}: expected name=value, found {}", law_, in_quotes(item)));
  const std::string name(item.substr(0, equals));
  if (!fields_.emplace(name, item.substr(equals + 1)).second)
    throw InputError(fmt::format("{}: {} is given twice", law_, name));
}

bool LawFields::has(const std::string& name) {
  if (fields_.contains(name))
    return true;
  known_.push_back(name);
  return false;
}

std::string LawFields::text(const std::string& name, const char* expected) {
  known_.push_back(name);
  const auto found = fields_.extract(name);
  if (!found)
    throw InputError(fmt::format("{}: {} is missing: expected {}", law_, name, expected));
  return found.mapped();
}

double LawFields::number(const std::string& name, const char* range, bool (*is_right)(double)) {
  const std::string given = text(name, range);
  const std::optional<double> value = find_fraction(given);
  if (!value || !is_right(*value))
    throw InputError(
        fmt::format("{}: {}: expected {}, found {}", law_, name, range, in_quotes(given)));
  return *value;
}

std::uint32_t LawFields::count(const std::string& name, const char* expected, std::uint32_t least) {
  const std::string given = text(name, expected);
  try {
    return parse_count(given, least);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}: {}", law_, name, error.what()));
  }
}

Seconds LawFields::time(const std::string& name, const char* expected) {
  const std::string given = text(name, expected);
  try {
    return parse_seconds(given);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}: {}", law_, name, error.what()));
  }
}

std::size_t LawFields::word(const std::string& name, const std::vector<std::string>& words) {
  const auto found = fields_.extract(name);
  known_.push_back(name);
  if (!found)
    return 0;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == found.mapped())
      return i;
  throw InputError(fmt::format("{}: {}: expected {}, found {}", law_, name,
                               fmt::join(words, " or "), in_quotes(found.mapped())));
}

void LawFields::expect_no_more() const {
  if (!fields_.empty())
    throw InputError(fmt::format("{}: unknown key {}: expected {}{}", law_,
                                 in_quotes(fields_.begin()->first), fmt::join(known_, ", "),
                                 did_you_mean(fields_.begin()->first, known_)));
}

}  // namespace stepcast
