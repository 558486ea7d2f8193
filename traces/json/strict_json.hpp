#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "models/base/units.hpp"

namespace stepcast {

/// Reads a text file whole. Throws InputError for a missing file, a directory, an unreadable or
/// empty file; the message begins with the path.
std::string read_text_file(const std::filesystem::path& path);

/// Writes to a temporary name in the same folder and renames. Throws InputError if it cannot.
void write_text_file(const std::filesystem::path& path, std::string_view text);

/// Parses JSON. Throws InputError `<origin>: line 3, column 7: ...` for syntax errors, truncation,
/// bytes that are not UTF-8, duplicate keys, NaN.
nlohmann::json parse_json(std::string_view text, const std::string& origin);

/// A JSON object being read strictly: every access names a key and a type, and finish() refuses
/// keys that nobody asked for. Errors are InputErrors such as `configs/clusters/ib.json:
/// /nic/startup: expected a time such as "2us", found 2`.
class ObjectReader {
 public:
  /// `value` must outlive the reader. `pointer` is the JSON pointer of the object ("" for the
  /// root).
  ObjectReader(const nlohmann::json& value, std::string origin, std::string pointer = "");

  bool has(std::string_view key) const;
  std::string text(std::string_view key);
  std::string text_or(std::string_view key, std::string fallback);
  std::string name(std::string_view key);  ///< A text that is not empty.
  bool flag(std::string_view key);
  bool flag_or(std::string_view key, bool fallback);
  double number(std::string_view key, double least);  ///< Finite, >= least.
  double number_or(std::string_view key, double least, double fallback);
  std::uint64_t count(std::string_view key, std::uint64_t least);  ///< A whole number.
  std::uint64_t count_or(std::string_view key, std::uint64_t least, std::uint64_t fallback);
  std::uint32_t count_up_to(std::string_view key, std::uint64_t least, std::uint32_t most);
  std::uint32_t count_up_to_or(std::string_view key, std::uint64_t least, std::uint32_t most,
                               std::uint32_t fallback);
  double above_zero(std::string_view key);
  double part(std::string_view key);  ///< Above 0, at most 1.
  double part_or(std::string_view key, double fallback);
  Seconds time_above_zero(std::string_view key);  ///< As seconds().
  Seconds seconds(std::string_view key);          ///< Plain number >= 0, for keys ending in _s.
  Seconds time_text(std::string_view key);        ///< "14.5us"
  Seconds time_text_or(std::string_view key, Seconds fallback);
  Bytes size_text(std::string_view key);  ///< "25MiB"
  Bytes size_text_or(std::string_view key, Bytes fallback);
  BytesPerSecond bandwidth_text(std::string_view key);  ///< "10Gbps"
  ObjectReader object(std::string_view key);
  std::optional<ObjectReader> object_if(std::string_view key);
  std::vector<ObjectReader> objects(std::string_view key);  ///< An array of objects.
  std::vector<ObjectReader> objects_or_none(std::string_view key);
  std::vector<std::string> texts_or_none(std::string_view key);  ///< An array of strings.
  /// An object whose members are strings.
  std::map<std::string, std::string> texts_by_name(std::string_view key);
  std::map<std::string, std::string> texts_by_name_or_none(std::string_view key);
  const nlohmann::json& raw(std::string_view key);  ///< Any value; marks the key read.

  /// Throws InputError naming the first key that was not read, and the nearest known one.
  void finish() const;

  /// Throws InputError "<origin>: <pointer>/<key>: <message>".
  [[noreturn]] void fail(std::string_view key, const std::string& message) const;

 private:
  const nlohmann::json& at(std::string_view key);
  const nlohmann::json* value_;
  std::string origin_;
  std::string pointer_;
  std::vector<std::string> known_;
};

/// Reads the head of every StepCast file: `"format": <format>, "version": 1`. Throws InputError for
/// another format or version.
void read_format_header(ObjectReader& root, std::string_view format);

/// A value as an error message shows it: on one line and short, whatever it holds.
std::string shown(const nlohmann::json& value);

}  // namespace stepcast
