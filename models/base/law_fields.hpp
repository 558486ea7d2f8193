#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/units.hpp"

namespace stepcast {

/// The fields of a law as a user writes it, "law:name=value,name=value": each is taken away when it
/// is asked for, and what is left at the end is unknown. All throw InputError that begins with the
/// law and says what was expected.
class LawFields {
 public:
  /// `text`: what stands behind "law:".
  LawFields(std::string law, std::string_view text);

  /// Whether it is given, of one that may be left out.
  bool has(const std::string& name);
  std::string text(const std::string& name, const char* expected);
  /// Also as a fraction, "1/16".
  double number(const std::string& name, const char* range, bool (*is_right)(double));
  std::uint32_t count(const std::string& name, const char* expected, std::uint32_t least = 0);
  Seconds time(const std::string& name, const char* expected);
  /// The index of the word that is given, 0 if none is.
  std::size_t word(const std::string& name, const std::vector<std::string>& words);
  void expect_no_more() const;

 private:
  void add(std::string_view item);

  std::string law_;
  std::map<std::string, std::string> fields_;
  std::vector<std::string> known_;
};

}  // namespace stepcast
