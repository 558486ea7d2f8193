#include "tests/fuzz/support/json_mutator.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include <nlohmann/json.hpp>

namespace stepcast::fuzz {
namespace {

using nlohmann::json;
using Random = std::minstd_rand;

/// Deeper documents are left to changes of bytes: copying and writing one down goes as deep.
constexpr std::ptrdiff_t kMostDepth = 400;

std::ptrdiff_t depth_of(std::string_view text) {
  std::ptrdiff_t depth = 0, deepest = 0;
  for (const char c : text) {
    depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

/// Every value of a document, containers before what they hold.
void collect(json& value, std::vector<json*>& all) {
  all.push_back(&value);
  if (value.is_structured())
    for (json& inner : value)
      collect(inner, all);
}

std::size_t below(Random& random, std::size_t limit) {
  return random() % limit;
}

json extreme_number(const json& value, Random& random) {
  const double number = value.is_number() ? value.get<double>() : 1;
  const std::array<json, 16> numbers{
      0,          -1,          1,          1e308,       -1e308,
      5e-324,     1e9,         number * 2, -number,     number / 3,
      number + 1, 4294967296U, 65536,      2147483648U, 18446744073709551615U,
      1e15};
  return numbers[below(random, numbers.size())];
}

json strange_text(const json& value, Random& random) {
  const std::string text = value.is_string() ? value.get<std::string>() : "1";
  const std::array<std::string, 10> texts{"",
                                          text + text,
                                          text.substr(0, text.size() / 2),
                                          "\x1b[2J",
                                          "=1+1",
                                          "../../x",
                                          "NaN",
                                          "1e308" + text,
                                          "-" + text,
                                          std::string(5000, 'a')};
  return texts[below(random, texts.size())];
}

/// The value in `levels` arrays.
json nested(json value, std::size_t levels) {
  for (std::size_t i = 0; i < levels; ++i)
    value = json::array({std::move(value)});
  return value;
}

void drop_or_double(json& container, Random& random) {
  if (container.empty())
    return;
  const auto chosen =
      std::next(container.begin(), static_cast<std::ptrdiff_t>(below(random, container.size())));
  if (random() % 2 == 0)
    container.erase(chosen);
  else if (container.is_array())
    container.push_back(*chosen);
  else
    container[chosen.key() + "x"] = *chosen;
}

}  // namespace

std::string mutated_json(std::string_view text, std::uint32_t seed) {
  if (depth_of(text) > kMostDepth)
    return std::string(text);
  json document = json::parse(text, nullptr, false);
  if (document.is_discarded())
    return std::string(text);
  Random random(seed);
  std::vector<json*> all;
  collect(document, all);
  json& chosen = *all[below(random, all.size())];
  switch (random() % 6) {
    case 0:
    case 1:
      chosen = extreme_number(chosen, random);
      break;
    case 2:
      chosen = strange_text(chosen, random);
      break;
    case 3: {
      const json other = *all[below(random, all.size())];
      chosen = other;
      break;
    }
    case 4:
      chosen = nested(chosen, 1 + below(random, 200));
      break;
    default:
      if (chosen.is_structured())
        drop_or_double(chosen, random);
      else
        chosen = nullptr;
  }
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace stepcast::fuzz
