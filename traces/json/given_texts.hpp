#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace stepcast {

/// While it lives, read_text_file() of this thread finds these texts where it is asked for their
/// paths, whether there are such files or not: values that a caller has in memory, by the names
/// that he wants to see in errors.
class GivenTexts {
 public:
  /// `only_below`: whoever asks is not trusted with other files. Beside the texts he may read what
  /// lies in this folder, and writes nothing.
  explicit GivenTexts(std::map<std::string, std::string> texts,
                      std::optional<std::filesystem::path> only_below = std::nullopt);
  ~GivenTexts();
  GivenTexts(const GivenTexts&) = delete;
  GivenTexts& operator=(const GivenTexts&) = delete;

 private:
  friend const std::string* find_given_text(const std::string& path);
  friend void check_may_read(const std::filesystem::path& path);
  friend void check_may_write(const std::filesystem::path& path);
  std::map<std::string, std::string> texts_;
  std::optional<std::filesystem::path> only_below_;
  const GivenTexts* outer_;
};

/// The text given for a path; null: none was.
const std::string* find_given_text(const std::string& path);

/// Throw InputError if a GivenTexts of this thread does not allow it.
void check_may_read(const std::filesystem::path& path);
void check_may_write(const std::filesystem::path& path);

}  // namespace stepcast
