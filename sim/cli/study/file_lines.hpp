#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace stepcast {

/// The lines of a file, of which it holds a piece; the file is open only while a piece is read, as
/// there may be more files than a process may have open.
class FileLines {
 public:
  /// Throws InputError as read_text_file() does. Reads texts in its place, too (see GivenTexts).
  explicit FileLines(const std::string& path);

  /// Without its line feed; nothing at the end. A last line without a line feed is not one.
  std::optional<std::string> next();
  /// Whether the text has this end, wherever one is in it.
  bool ends_with(std::string_view end) const;
  std::size_t number() const { return number_; }  ///< Of the last line, from 1 on.

 private:
  bool read_on();

  std::string path_;
  std::string piece_;
  std::size_t at_ = 0;      ///< In the piece.
  std::uint64_t rest_ = 0;  ///< Where the file goes on after it.
  bool is_all_ = false;     ///< There is no more than the piece.
  std::size_t number_ = 0;
};

/// What a line of a file holds. Throws InputError that names it once, by its number in the file.
nlohmann::json parse_line(const std::string& line, const std::string& path, std::size_t number);

}  // namespace stepcast
