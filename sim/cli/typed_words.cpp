#include "sim/cli/typed_words.hpp"

#include <cctype>
#include <regex>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

std::vector<std::string> names_of(const CommandOption& option) {
  std::vector<std::string> names(1);
  for (const char c : option.name)
    if (c == ',')
      names.emplace_back();
    else
      names.back() += c;
  return names;
}

/// "--output", "--output=FILE", "-o" or "-oFILE".
bool calls(std::string_view word, const std::string& name) {
  const bool is_short = name.starts_with('-') && !name.starts_with("--");
  return word == name || word.starts_with(name + "=") || (is_short && word.starts_with(name));
}

/// The option that is called so, or nothing.
const CommandOption* find_option(std::span<const CommandOption> options, std::string_view word) {
  for (const CommandOption& option : options)
    for (const std::string& name : names_of(option))
      if (word == name)
        return &option;
  return nullptr;
}

/// Whether the word could be one more value of a list.
bool may_hold(const CommandOption& list, const char* word) {
  if (!is_comma_list(list.target))
    return false;
  if (std::holds_alternative<CommaList*>(list.target))
    return true;
  try {
    assign(list, {word});
    return true;
  } catch (const InputError&) {
    return false;
  }
}

bool is_in_word(char c) {
  return c == '-' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// The text with a word of it replaced by another one.
std::string with_word(std::string text, const std::string& word, const std::string& by) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
    const std::size_t end = at + word.size();
    const bool is_whole =
        (at == 0 || !is_in_word(text[at - 1])) && (end == text.size() || !is_in_word(text[end]));
    if (is_whole)
      text.replace(at, word.size(), by);
    at += is_whole ? by.size() : word.size();
  }
  return text;
}

}  // namespace

std::string in_typed_spelling(std::span<const CommandOption> options, Words words,
                              std::string message) {
  for (const CommandOption& option : options) {
    const std::string typed = spelling_of(option, words);
    for (const std::string& name : names_of(option))
      if (name != typed)
        message = with_word(std::move(message), name, typed);
  }
  return message;
}

std::string spelling_of(const CommandOption& option, Words words) {
  const std::vector<std::string> names = names_of(option);
  for (const std::string_view word : words)
    for (const std::string& name : names)
      if (calls(word, name))
        return name;
  return names.back();
}

std::string hint_at_commas(std::span<const CommandOption> options, Words words,
                           std::string_view error) {
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (std::string_view(words[i]).starts_with('-') ||
        error.find(in_quotes(words[i])) == std::string_view::npos)
      continue;  // An option is no value.
    const CommandOption* list = find_option(options, words[i - 2]);
    if (list != nullptr && may_hold(*list, words[i]))
      return fmt::format("; lists take commas: {} {},{}", words[i - 2], words[i - 1], words[i]);
    const CommandOption* single = find_option(options, words[i - 1]);
    const bool has_comma = std::string_view(words[i]).find(',') != std::string_view::npos;
    if (has_comma && single != nullptr && !is_list(single->target) && !is_flag(single->target))
      return fmt::format("; {} takes one value, not a list", words[i - 1]);
  }
  return "";
}

std::string as_typed(const std::string& message) {
  static const std::regex argument("`([a-z][a-z-]*)`");
  return std::regex_replace(message, argument, "--$1");
}

}  // namespace stepcast
