#include "sim/cli/command_option.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/cli/tell.hpp"

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

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// "a b" and "a, b" as they should be written; the space of "25 MiB" goes.
std::string with_commas(const std::string& text) {
  std::string fixed;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_before_unit = text[i] == ' ' && i > 0 && i + 1 < text.size() &&
                                is_digit(text[i - 1]) &&
                                std::isalpha(static_cast<unsigned char>(text[i + 1])) != 0;
    const char wanted = text[i] == ' ' ? ',' : text[i];
    if (!is_before_unit && (wanted != ',' || (!fixed.empty() && fixed.back() != ',')))
      fixed += wanted;
  }
  return fixed;
}

/// Whether the space in an item is that of a quantity as tables print it: "25 MiB".
bool is_quantity(const std::string& item) {
  const std::size_t space = item.find(' ');
  return item.find_first_not_of("0123456789.") == space && item.find(' ', space + 1) == item.npos &&
         !is_digit(item[space + 1]);
}

/// The items of "a,b" and "c", each once.
std::vector<std::string> items_of(const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  std::set<std::string> seen;
  for (const std::string& text : texts)
    for (std::string& item : split_at_commas(text)) {
      if (item.empty())
        throw InputError(
            fmt::format("expected values separated by single commas, found {}", in_quotes(text)));
      const bool may_have_space = item.ends_with(".json") || is_quantity(item);  // .json: a path
      if (item.find(' ') != std::string::npos && !may_have_space)
        throw InputError(fmt::format("lists take commas, as in {}; found {}", with_commas(text),
                                     in_quotes(text)));
      if (seen.insert(item).second)
        items.push_back(std::move(item));
    }
  return items;
}

/// A list that holds a value twice is as if it held it once, which its author may not know.
void tell_repeated(const std::string& name, const std::vector<std::string>& texts) {
  std::set<std::string> seen, told;
  for (const std::string& text : texts)
    for (const std::string& item : split_at_commas(text))
      if (!seen.insert(item).second && told.insert(item).second)
        tell("stepcast: {}: {} given twice, taken once\n", name, in_quotes(item));
}

/// Whether "65,536" is one number with a comma between its thousands. Numbers such as 048 are in no
/// list, nor are sizes without a unit; 256,512 may be two counts.
bool is_grouped(const std::vector<std::string>& items, bool are_sizes) {
  const auto is_rest = [](const std::string& item) {
    return item.size() == 3 && std::ranges::all_of(item, is_digit);
  };
  const auto has_zero = [&is_rest](const std::string& item) {
    return is_rest(item) && item[0] == '0';
  };
  return std::ranges::any_of(items, has_zero) ||
         (are_sizes && items.size() > 1 && std::ranges::all_of(items[0], is_digit) &&
          std::all_of(items.begin() + 1, items.end(), is_rest));
}

void refuse_thousands(const std::vector<std::string>& texts, bool are_sizes) {
  for (const std::string& text : texts)
    if (is_grouped(split_at_commas(text), are_sizes))
      throw InputError(fmt::format(
          "commas separate values here: expected numbers without any between thousands, found {}",
          in_quotes(text)));
}

/// Stores texts into a target, one function a type.
struct Assign {
  const std::vector<std::string>& texts;
  std::string_view unit;  ///< That a number may bear, as reports print it.

  void operator()(bool* target) const { *target = true; }
  void operator()(std::string* target) const { *target = only(); }
  void operator()(std::optional<std::uint32_t>* target) const { *target = parse_count(only(), 1); }
  void operator()(std::optional<double>* target) const {
    std::string_view number = only();
    const std::string_view bare = unit.starts_with(' ') ? unit.substr(1) : unit;
    for (const std::string_view end : {unit, bare})
      if (!end.empty() && number.ends_with(end))
        number.remove_suffix(end.size());
    *target = parse_number(number);
  }
  void operator()(std::optional<Seconds>* target) const { *target = parse_seconds(only()); }
  void operator()(std::optional<Bytes>* target) const { *target = parse_bytes(only()); }
  void operator()(std::optional<BytesPerSecond>* target) const {
    *target = parse_bandwidth(only());
  }
  void operator()(std::vector<std::string>* target) const { *target = texts; }
  void operator()(CommaList* target) const { target->items = items_of(texts); }
  void operator()(std::vector<std::uint32_t>* target) const {
    parse_each(target, [](const std::string& item) { return parse_count(item, 1); });
  }
  void operator()(std::vector<Bytes>* target) const { parse_each(target, parse_bytes); }

  const std::string& only() const {
    if (texts.front().empty())
      throw InputError("expected a value, found \"\"");
    return texts.front();
  }

  template <class Value, class Parse>
  void parse_each(std::vector<Value>* target, Parse parse) const {
    target->clear();
    refuse_thousands(texts, std::is_same_v<Value, Bytes>);
    std::set<Value> seen;
    for (const std::string& item : items_of(texts))
      if (const Value value = parse(item); seen.insert(value).second)
        target->push_back(value);
  }
};

template <class Target>
constexpr bool kIsList = false;
template <class Value>
constexpr bool kIsList<std::vector<Value>*> = true;
template <>
constexpr bool kIsList<CommaList*> = true;

}  // namespace

CommandOption output_option(std::string name, std::string* target, std::string meaning) {
  return {std::move(name), "FILE", target, std::move(meaning), true};
}

bool is_argument(const CommandOption& option) {
  return !option.name.starts_with('-');
}

bool is_flag(const OptionTarget& target) {
  return std::holds_alternative<bool*>(target);
}

bool is_list(const OptionTarget& target) {
  return std::visit([](const auto each) { return kIsList<std::remove_const_t<decltype(each)>>; },
                    target);
}

bool is_comma_list(const OptionTarget& target) {
  return is_list(target) && !std::holds_alternative<std::vector<std::string>*>(target);
}

void assign(const CommandOption& option, const std::vector<std::string>& texts) {
  try {
    std::visit(Assign{texts, option.value == "RATE" ? " samples/s" : ""}, option.target);
    if (is_comma_list(option.target))
      tell_repeated(option.name, texts);
  } catch (const InputError& error) {
    const std::string name = option.name.substr(option.name.rfind(',') + 1);  // of "-o,--output"
    throw InputError(fmt::format("{}: {}", name, error.what()));
  }
}

}  // namespace stepcast
