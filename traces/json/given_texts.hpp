#pragma once

#include <map>
#include <string>

namespace stepcast {

/// While it lives, read_text_file() of this thread finds these texts where it is asked for their
/// paths, whether there are such files or not: values that a caller has in memory, by the names
/// that he wants to see in errors.
class GivenTexts {
 public:
  explicit GivenTexts(std::map<std::string, std::string> texts);
  ~GivenTexts();
  GivenTexts(const GivenTexts&) = delete;
  GivenTexts& operator=(const GivenTexts&) = delete;

 private:
  friend const std::string* find_given_text(const std::string& path);
  std::map<std::string, std::string> texts_;
  const GivenTexts* outer_;
};

/// The text given for a path; null: none was.
const std::string* find_given_text(const std::string& path);

}  // namespace stepcast
