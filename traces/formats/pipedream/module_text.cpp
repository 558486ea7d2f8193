#include "traces/formats/pipedream/module_text.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

namespace stepcast {

namespace {

constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/// Products of sizes from a text saturate instead of wrapping around.
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  return b != 0 && a > kMost / b ? kMost : a * b;
}

/// The whole number at the start of `text`, 0 if there is none.
std::uint64_t leading_count(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// The text after "key=", if the description has that argument.
std::optional<std::string_view> argument(std::string_view description, std::string_view key) {
  const std::size_t at = description.find(std::string(key) + "=");
  if (at == std::string_view::npos)
    return std::nullopt;
  return description.substr(at + key.size() + 1);
}

std::uint64_t count_argument(std::string_view description, std::string_view key,
                             std::uint64_t fallback) {
  const auto text = argument(description, key);
  return text ? leading_count(*text) : fallback;
}

/// The number after the first `skip` commas of "Conv2d(3, 64, ...)".
std::uint64_t positional(std::string_view description, std::size_t skip) {
  std::size_t at = description.find('(');
  for (; skip > 0 && at != std::string_view::npos; --skip)
    at = description.find(',', at + 1);
  if (at == std::string_view::npos)
    return 0;
  at = description.find_first_not_of(' ', at + 1);
  return at == std::string_view::npos ? 0 : leading_count(description.substr(at));
}

/// 9 of "kernel_size=(3, 3)"; 0 if absent or not a pair.
std::uint64_t kernel_area(std::string_view description) {
  const auto text = argument(description, "kernel_size");
  if (!text || !text->starts_with('('))
    return 0;
  return times(positional(*text, 0), positional(*text, 1));
}

bool has_bias(std::string_view description) {
  const auto text = argument(description, "bias");
  return !text || !text->starts_with("False");
}

struct Split {
  std::uint64_t weight = 0;
  std::uint64_t bias = 0;
};

Split split_of(std::string_view description) {
  const std::string kind = module_kind(description);
  const std::uint64_t outputs = module_outputs(description);
  const std::uint64_t bias = has_bias(description) ? outputs : 0;
  if (kind == "Conv2d") {
    const std::uint64_t groups =
        std::max<std::uint64_t>(count_argument(description, "groups", 1), 1);
    const std::uint64_t inputs = positional(description, 0) / groups;
    return {times(times(inputs, outputs), kernel_area(description)), bias};
  }
  if (kind == "Linear")
    return {times(count_argument(description, "in_features", 0), outputs), bias};
  if (kind == "BatchNorm2d")
    return {positional(description, 0), positional(description, 0)};
  return {};
}

}  // namespace

std::string module_kind(std::string_view description) {
  const std::size_t first = description.find_first_not_of(' ');
  if (first == std::string_view::npos || description[first] == '(')
    return "module";
  std::string kind(description.substr(first, description.find('(', first) - first));
  std::ranges::replace_if(
      kind, [](char c) { return kNameCharacters.find(c) == std::string_view::npos; }, '_');
  return kind;
}

std::vector<Parameter> module_parameters(std::string_view description, std::uint64_t elements) {
  if (elements == 0)
    return {};
  const Split split = split_of(description);
  const bool exact =
      split.weight > 0 && split.weight <= elements && split.bias == elements - split.weight;
  if (!exact)
    return {{"parameters", elements, DataType::Float32}};
  std::vector<Parameter> parameters = {{"weight", split.weight, DataType::Float32}};
  if (split.bias > 0)
    parameters.push_back({"bias", split.bias, DataType::Float32});
  return parameters;
}

std::uint64_t module_outputs(std::string_view description) {
  const std::string kind = module_kind(description);
  if (kind == "Conv2d")
    return positional(description, 1);
  if (kind == "Linear")
    return count_argument(description, "out_features", 0);
  return 0;
}

}  // namespace stepcast
