#pragma once
// What is written of an edit, read key by key. Only graph_edit_text.cpp needs it.

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/graph/edit/graph_edit.hpp"

namespace stepcast {

using TextFields = std::map<std::string, std::string>;

/// A verb and the keys that it takes beside those that select.
struct VerbInfo {
  const char* name;
  EditVerb verb;
  std::vector<std::string> keys;
};

inline std::vector<std::string> parts_of_list(const std::string& text) {
  std::vector<std::string> parts;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    parts.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return parts;
}

/// Takes one key after the other, and complains of what is left.
class EditFields {
 public:
  EditFields(const VerbInfo& verb, TextFields fields) : verb_(verb), fields_(std::move(fields)) {}

  bool has(const std::string& key) const { return fields_.contains(key); }

  std::optional<std::string> take(const std::string& key) {
    auto found = fields_.extract(key);
    return found ? std::optional(std::move(found.mapped())) : std::nullopt;
  }

  template <typename Parse>
  auto parsed(const std::string& key, Parse parse)
      -> std::optional<decltype(parse(std::string()))> {
    const auto text = take(key);
    if (!text)
      return std::nullopt;
    try {
      return parse(*text);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}: {}", verb_.name, key, error.what()));
    }
  }

  std::size_t word(const std::string& key, const std::vector<std::string>& words) {
    const auto text = take(key);
    if (!text)
      return 0;
    const auto found = std::ranges::find(words, *text);
    if (found == words.end())
      throw InputError(fmt::format("{}: {}: expected {}, found {}", verb_.name, key,
                                   fmt::join(words, " or "), in_quotes(*text)));
    return static_cast<std::size_t>(found - words.begin());
  }

  TextSelection patterns(const std::string& key) {
    TextSelection selection;
    selection.any = parts_of_list(take(key).value_or(""));
    selection.none = parts_of_list(take(key + "!").value_or(""));
    return selection;
  }

  [[noreturn]] void expect(const std::string& what) const {
    throw InputError(fmt::format("{}: expected {}", verb_.name, what));
  }

  void finish() const {
    if (fields_.empty())
      return;
    std::vector<std::string> known = {"name", "kind", "layer", "stream", "rank", "stage", "work"};
    known.insert(known.begin(), verb_.keys.begin(), verb_.keys.end());
    const std::string& key = fields_.begin()->first;
    throw InputError(fmt::format("{}: unknown key {}: expected {}{}", verb_.name, in_quotes(key),
                                 fmt::join(known, ", "), did_you_mean(key, known)));
  }

 private:
  const VerbInfo& verb_;
  TextFields fields_;
};

}  // namespace stepcast
