#include "sim/cli/command_option.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> items(1);
  for (const char c : text) {
    if (c == ',')
      items.emplace_back();
    else
      items.back() += c;
  }
  return items;
}

/// Stores texts into a target, one function a type.
struct Assign {
  const std::vector<std::string>& texts;

  void operator()(bool* target) const { *target = true; }
  void operator()(std::string* target) const { *target = only(); }
  void operator()(std::optional<std::uint32_t>* target) const { *target = parse_count(only(), 1); }
  void operator()(std::optional<double>* target) const { *target = parse_number(only()); }
  void operator()(std::optional<Seconds>* target) const { *target = parse_seconds(only()); }
  void operator()(std::vector<std::string>* target) const { *target = texts; }
  void operator()(CommaList* target) const {
    for (const std::string& text : texts) {
      for (std::string& item : split_at_commas(text))
        target->items.push_back(std::move(item));
    }
    for (const std::string& item : target->items) {
      if (item.empty())
        throw InputError(fmt::format("expected names separated by single commas, found {}",
                                     in_quotes(texts.front())));
    }
  }

  const std::string& only() const {
    if (texts.front().empty())
      throw InputError("expected a value, found \"\"");
    return texts.front();
  }
};

}  // namespace

void assign(const CommandOption& option, const std::vector<std::string>& texts) {
  try {
    std::visit(Assign{texts}, option.target);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", option.name, error.what()));
  }
}

}  // namespace stepcast
