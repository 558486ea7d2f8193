#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/provenance.hpp"

namespace stepcast {

/// '{' or '[' if a text begins as a JSON object, or as a list of objects or texts; else 0. Logs
/// begin with "[" as well: with a date, a rank or a level.
char json_start(std::string_view text);

/// A JSON string with its quotes; bytes that are not UTF-8 are replaced.
std::string json_string(std::string_view text);

/// A JSON number: whole numbers exactly, others with 9 significant digits.
std::string json_number(double value);

/// The text of one of StepCast's own files: an object with each member of its root on a line.
class JsonFileText {
 public:
  /// Begins with the format and version 1.
  explicit JsonFileText(std::string_view format);

  void text(std::string_view key, std::string_view value) { json(key, json_string(value)); }
  void number(std::string_view key, double value) { json(key, json_number(value)); }
  void json(std::string_view key, std::string_view value);
  void provenance(const Provenance& provenance);
  /// A list with an entry a line.
  void lines(std::string_view key, const std::vector<std::string>& entries);
  template <class Item, class Text>
  void lines(std::string_view key, const std::vector<Item>& items, Text text_of) {
    std::vector<std::string> entries;
    for (const Item& item : items)
      entries.push_back(text_of(item));
    lines(key, entries);
  }
  /// A list with eight pairs a line.
  void pairs(std::string_view key, std::span<const std::pair<std::uint32_t, std::uint32_t>> all);
  std::string finish() && { return std::move(text_.append("\n}\n")); }

 private:
  std::string text_;
};

}  // namespace stepcast
