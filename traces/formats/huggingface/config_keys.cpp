#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "traces/formats/huggingface/model_family.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

constexpr std::uint64_t kMost = 1'000'000'000;

// A value that a list repeats for each layer.
const nlohmann::json& one_of_equals(const nlohmann::json& value) {
  const bool repeats =
      value.is_array() && !value.empty() &&
      std::ranges::all_of(value, [&](const auto& each) { return each == value[0]; });
  return repeats ? value[0] : value;
}

}  // namespace

ConfigKeys::ConfigKeys(const nlohmann::json& json, std::string origin, std::string pointer)
    : json_(json), origin_(std::move(origin)), pointer_(std::move(pointer)) {
  ObjectReader(json_, origin_, pointer_);  // refuses what is no object
}

bool ConfigKeys::has(const char* key) const {
  const auto found = json_.find(key);
  return found != json_.end() && !found->is_null();
}

const char* ConfigKeys::find(Names names) const {
  const auto* const found = std::ranges::find_if(names, [&](const char* key) { return has(key); });
  return found == names.end() ? nullptr : *found;
}

std::uint32_t ConfigKeys::count(Names names, std::uint32_t least) const {
  const char* key = find(names);
  if (key == nullptr) {
    std::string others;
    for (const char* other : names)
      others +=
          other == *names.begin() ? "" : fmt::format("{}{}", others.empty() ? "" : ", ", other);
    fail(*names.begin(), others.empty() ? "missing" : "missing; other names of it: " + others);
  }
  const nlohmann::json value{{key, one_of_equals(json_.at(key))}};
  const std::uint64_t count = ObjectReader(value, origin_, pointer_).count(key, least);
  if (count > kMost)
    fail(key, fmt::format("expected at most {}, found {}", kMost, count));
  return static_cast<std::uint32_t>(count);
}

std::uint32_t ConfigKeys::count_or(Names names, std::uint32_t fallback, std::uint32_t least) const {
  return has(names) ? count(names, least) : fallback;
}

std::int64_t ConfigKeys::index_or(const char* key, std::int64_t fallback) const {
  if (!has(key))
    return fallback;
  if (!json_.at(key).is_number_integer())
    fail(key, "expected a whole number");
  return json_.at(key).get<std::int64_t>();
}

std::size_t ConfigKeys::entries(const char* key) const {
  return has(key) && json_.at(key).is_structured() ? json_.at(key).size() : 0;
}

bool ConfigKeys::flag_or(const char* key, bool fallback) const {
  if (!has(key))
    return fallback;
  if (!json_.at(key).is_boolean())
    fail(key, "expected true or false");
  return json_.at(key).get<bool>();
}

bool ConfigKeys::is_text(const char* key) const {
  return has(key) && json_.at(key).is_string();
}

std::string ConfigKeys::text_or(const char* key, std::string fallback) const {
  return has(key) ? ObjectReader(json_, origin_, pointer_).text(key) : std::move(fallback);
}

std::string ConfigKeys::first_text(const char* key) const {
  if (entries(key) == 0 || !json_.at(key).is_array() || !json_.at(key)[0].is_string())
    return "";
  return json_.at(key)[0].get<std::string>();
}

ConfigKeys ConfigKeys::object(const char* key) const {
  static const nlohmann::json kNone = nlohmann::json::object();
  return {has(key) ? json_.at(key) : kNone, origin_, fmt::format("{}/{}", pointer_, key)};
}

std::uint32_t ConfigKeys::product(const char* key, std::uint64_t left, std::uint64_t right) const {
  if (left > kMost || right > kMost || left * right > kMost)
    fail(key, fmt::format("expected at most {} in all, found {} times {}", kMost, left, right));
  return static_cast<std::uint32_t>(left * right);
}

void ConfigKeys::fail(std::string_view key, const std::string& why) const {
  ObjectReader(json_, origin_, pointer_).fail(key, why);
}

}  // namespace stepcast
