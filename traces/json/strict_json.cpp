#include "traces/json/strict_json.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/ranges.hpp"
#include "models/base/text.hpp"
#include "models/base/utf8.hpp"

namespace stepcast {

using nlohmann::json;

namespace {

constexpr std::size_t kLongestValue = 60;
constexpr double kLargestExactInteger = 9007199254740992.0;  // 2^53

}  // namespace

std::string shown(const json& value) {
  if (value.is_object())
    return "an object";
  if (value.is_array())
    return "an array";
  return abridged(value.dump(-1, ' ', false, json::error_handler_t::replace), kLongestValue);
}

namespace {

std::string expected(std::string_view what, const json& found) {
  return fmt::format("expected {}, found {}", what, shown(found));
}

[[noreturn]] void fail_at(const std::string& origin, const std::string& pointer,
                          const std::string& message) {
  constexpr std::size_t kLongestPointer = 160;  // It may hold keys of the file's own choice.
  const std::string place =
      pointer.empty() ? origin : origin + ": " + abridged(pointer, kLongestPointer);
  throw InputError(place + ": " + message);
}

/// The whole number in `value`, also where it is written 25e6.
std::optional<std::uint64_t> whole_number(const json& value) {
  if (value.is_number_unsigned())
    return value.get<std::uint64_t>();
  if (!value.is_number_float())
    return std::nullopt;
  const double number = value.get<double>();
  if (number < 0 || number > kLargestExactInteger || number != std::floor(number)) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(number);
}

std::vector<std::string> keys_of(const json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items())
    keys.push_back(key);
  return keys;
}

/// `parse(text)` with errors that name file and field.
template <class Parse>
auto parse_field(const ObjectReader& reader, std::string_view key, const json& value,
                 std::string_view what, Parse parse) {
  if (!value.is_string())
    reader.fail(key, expected(what, value));
  try {
    return parse(value.get_ref<const std::string&>());
  } catch (const InputError& error) {
    reader.fail(key, error.what());
  }
}

}  // namespace

ObjectReader::ObjectReader(const json& value, std::string origin, std::string pointer)
    : value_(&value), origin_(std::move(origin)), pointer_(std::move(pointer)) {
  if (!value.is_object())
    fail_at(origin_, pointer_, expected("an object", value));
}

bool ObjectReader::has(std::string_view key) const {
  return value_->contains(key);
}

const json& ObjectReader::at(std::string_view key) {
  known_.emplace_back(key);
  const auto found = value_->find(key);
  if (found != value_->end())
    return *found;
  const std::string typo = nearest_name(key, keys_of(*value_));
  const bool likely = !typo.empty() && std::ranges::find(known_, typo) == known_.end();
  fail(key, likely ? fmt::format("missing; was {} meant?", shown(json(typo))) : "missing");
}

const json& ObjectReader::raw(std::string_view key) {
  return at(key);
}

std::string ObjectReader::text(std::string_view key) {
  const json& value = at(key);
  if (!value.is_string())
    fail(key, expected("a string", value));
  return value.get<std::string>();
}

std::string ObjectReader::text_or(std::string_view key, std::string fallback) {
  known_.emplace_back(key);
  return has(key) ? text(key) : std::move(fallback);
}

std::string ObjectReader::name(std::string_view key) {
  std::string name = text(key);
  if (name.empty())
    fail(key, "expected a name, found \"\"");
  return name;
}

bool ObjectReader::flag(std::string_view key) {
  const json& value = at(key);
  if (!value.is_boolean())
    fail(key, expected("true or false", value));
  return value.get<bool>();
}

bool ObjectReader::flag_or(std::string_view key, bool fallback) {
  known_.emplace_back(key);
  return has(key) ? flag(key) : fallback;
}

double ObjectReader::number(std::string_view key, double least) {
  const json& value = at(key);
  const bool good = value.is_number() && std::isfinite(value.get<double>());
  if (!good || value.get<double>() < least) {
    fail(key, expected(fmt::format("a number of at least {}", least), value));
  }
  if (!kNumberRange.contains(value.get<double>()))
    fail(key, expected(kNumberRange.words, value));
  return value.get<double>();
}

double ObjectReader::number_or(std::string_view key, double least, double fallback) {
  known_.emplace_back(key);
  return has(key) ? number(key, least) : fallback;
}

std::uint64_t ObjectReader::count(std::string_view key, std::uint64_t least) {
  const json& value = at(key);
  const std::optional<std::uint64_t> number = whole_number(value);
  if (!number || *number < least) {
    fail(key, expected(fmt::format("a whole number of at least {}", least), value));
  }
  if (!kCountRange.contains(static_cast<double>(*number)))
    fail(key, expected(kCountRange.words, value));
  return *number;
}

std::uint64_t ObjectReader::count_or(std::string_view key, std::uint64_t least,
                                     std::uint64_t fallback) {
  known_.emplace_back(key);
  return has(key) ? count(key, least) : fallback;
}

std::uint32_t ObjectReader::count_up_to(std::string_view key, std::uint64_t least,
                                        std::uint32_t most) {
  const std::uint64_t found = count(key, least);
  if (found > most)
    fail(key, fmt::format("expected at most {}, found {}", most, found));
  return static_cast<std::uint32_t>(found);
}

std::uint32_t ObjectReader::count_up_to_or(std::string_view key, std::uint64_t least,
                                           std::uint32_t most, std::uint32_t fallback) {
  known_.emplace_back(key);
  return has(key) ? count_up_to(key, least, most) : fallback;
}

double ObjectReader::above_zero(std::string_view key) {
  const double value = number(key, 0);
  if (value <= 0)
    fail(key, "expected a number above 0, found 0");
  return value;
}

double ObjectReader::part(std::string_view key) {
  const double value = number(key, 0);
  if (value <= 0 || value > 1)
    fail(key, fmt::format("expected a number above 0 and at most 1, found {}", value));
  return value;
}

double ObjectReader::part_or(std::string_view key, double fallback) {
  known_.emplace_back(key);
  return has(key) ? part(key) : fallback;
}

Seconds ObjectReader::time_above_zero(std::string_view key) {
  const Seconds time = seconds(key);
  if (time <= Seconds{})
    fail(key, "expected a time above 0, found 0");
  return time;
}

Seconds ObjectReader::seconds(std::string_view key) {
  const json& value = at(key);
  if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0) {
    fail(key, expected("a time in seconds of at least 0", value));
  }
  if (!kTimeRange.contains(value.get<double>()))
    fail(key, expected(kTimeRange.words, value));
  return {value.get<double>()};
}

Seconds ObjectReader::time_text(std::string_view key) {
  return parse_field(*this, key, at(key), "a time such as \"2us\"", parse_seconds);
}

Seconds ObjectReader::time_text_or(std::string_view key, Seconds fallback) {
  known_.emplace_back(key);
  return has(key) ? time_text(key) : fallback;
}

Bytes ObjectReader::size_text(std::string_view key) {
  return parse_field(*this, key, at(key), "a size such as \"25MiB\"", parse_bytes);
}

Bytes ObjectReader::size_text_or(std::string_view key, Bytes fallback) {
  known_.emplace_back(key);
  return has(key) ? size_text(key) : fallback;
}

BytesPerSecond ObjectReader::bandwidth_text(std::string_view key) {
  return parse_field(*this, key, at(key), "a bandwidth such as \"10Gbps\"", parse_bandwidth);
}

ObjectReader ObjectReader::object(std::string_view key) {
  return {at(key), origin_, fmt::format("{}/{}", pointer_, key)};
}

std::optional<ObjectReader> ObjectReader::object_if(std::string_view key) {
  known_.emplace_back(key);
  if (!has(key))
    return std::nullopt;
  return object(key);
}

std::vector<ObjectReader> ObjectReader::objects(std::string_view key) {
  const json& value = at(key);
  if (!value.is_array())
    fail(key, expected("an array of objects", value));
  std::vector<ObjectReader> readers;
  readers.reserve(value.size());
  for (const json& element : value) {
    readers.emplace_back(element, origin_, fmt::format("{}/{}/{}", pointer_, key, readers.size()));
  }
  return readers;
}

std::vector<ObjectReader> ObjectReader::objects_or_none(std::string_view key) {
  known_.emplace_back(key);
  return has(key) ? objects(key) : std::vector<ObjectReader>{};
}

std::vector<std::string> ObjectReader::texts_or_none(std::string_view key) {
  known_.emplace_back(key);
  if (!has(key))
    return {};
  const json& value = at(key);
  if (!value.is_array())
    fail(key, expected("an array of strings", value));
  std::vector<std::string> texts;
  for (const json& element : value) {
    if (!element.is_string()) {
      fail(fmt::format("{}/{}", key, texts.size()), expected("a string", element));
    }
    texts.push_back(element.get<std::string>());
  }
  return texts;
}

std::map<std::string, std::string> ObjectReader::texts_by_name(std::string_view key) {
  const json& object = at(key);
  if (!object.is_object())
    fail(key, expected(R"(an object of texts such as {"name": "value"})", object));
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : object.items()) {
    if (!value.is_string())
      fail(key, fmt::format("expected text for {}, found {}", in_quotes(name), shown(value)));
    texts[name] = value.get<std::string>();
  }
  return texts;
}

std::map<std::string, std::string> ObjectReader::texts_by_name_or_none(std::string_view key) {
  known_.emplace_back(key);
  return has(key) ? texts_by_name(key) : std::map<std::string, std::string>{};
}

void ObjectReader::finish() const {
  for (const auto& [key, value] : value_->items()) {
    if (std::ranges::find(known_, key) != known_.end())
      continue;
    fail_at(origin_, pointer_,
            fmt::format("unknown key {}{}", shown(json(key)), did_you_mean(key, known_)));
  }
}

void ObjectReader::fail(std::string_view key, const std::string& message) const {
  fail_at(origin_, fmt::format("{}/{}", pointer_, key), message);
}

void read_format_header(ObjectReader& root, std::string_view format) {
  const std::string found = root.text("format");
  if (found != format)
    root.fail("format", fmt::format("expected \"{}\", found {}", format, in_quotes(found)));
  const std::uint64_t version = root.count("version", 1);
  if (version != 1)
    root.fail("version", fmt::format("expected 1, found {}", version));
}

}  // namespace stepcast
