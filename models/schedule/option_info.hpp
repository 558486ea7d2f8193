#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stepcast {

/// What the values of an option are, and so how they are written.
enum class OptionKind : std::uint8_t {
  Choice,  ///< One of its words.
  Size,    ///< "25MiB"
  Time,    ///< "1.5ms"
  Count,   ///< "4"
  Number,  ///< "0.25"
  Series,  ///< "1:0.8:0.5", numbers over the steps of training.
  Text,    ///< "8,8,9,7", in a form of its own, which the schedule reads.
};

/// "choice", "size", "time", "count", "number", "series", "text".
const char* name_of(OptionKind kind);

/// The numbers that an option takes, in bytes, seconds, or as they are.
struct OptionRange {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  bool above_least = false;  ///< `least` itself is none of them.
  bool below_most = false;   ///< `most` itself is none of them.

  bool contains(double value) const {
    return (above_least ? value > least : value >= least) &&
           (below_most ? value < most : value <= most);
  }
};

/// Of what a plan is repeated by.
inline constexpr OptionRange kRepeats{.least = 1, .most = 1024};

/// A word that has another option searched, by the tuning strategy of that name, before a plan is
/// built: a plan cannot simulate itself.
struct OptionSearch {
  std::string word;    ///< "bo"
  std::string option;  ///< "fusion_buffer"
  std::string found;   ///< "buffer": with it and the number found the plan is built.
};

/// One option of a schedule: all that reading, help, tuning and the JSON Schema say of it.
struct OptionInfo {
  std::string name;           ///< "fusion_buffer"
  std::string default_value;  ///< "25MiB"
  std::string meaning;        ///< One line, with the unit or the choices.
  OptionKind kind = OptionKind::Choice;
  std::vector<std::string>
      words{};  ///< Choice: all values; else what may stand for a number or text.
  OptionRange range{};
  std::optional<OptionSearch> search{};
  /// Words with which the same is computed at other times: searches may try them.
  std::vector<std::string> alternatives{};
  /// Which of them is taken is the communication library's affair and not the schedule's.
  bool is_of_library = false;
  /// What the option is of, "layout" or "job", where many schedules share it; empty: the schedule.
  std::string group{};
};

/// Options given by the user, as text.
using ScheduleOptions = std::map<std::string, std::string>;

/// The number that `text` stands for, in bytes, seconds, or as it is. Throws InputError that says
/// what was expected: a number of the kind, in the range.
double parse_option(const OptionInfo& option, const std::string& text);

/// All numbers of a series, of which parse_option() returns the first. Throws InputError.
std::vector<double> parse_series(const OptionInfo& option, const std::string& text);

/// Throws InputError that says what was expected, to be prefixed with the option's name, unless
/// `text` is a word or a number that the option takes.
void check_option(const OptionInfo& option, const std::string& text);

}  // namespace stepcast
