#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/collective/collective.hpp"
#include "models/schedule/option_info.hpp"

namespace stepcast {

// Options as the tables of schedules write them: name, default, meaning, and what values there are.

/// One of the words. `search`: the one of them that has another option searched.
OptionInfo choice_option(std::string name, std::string default_value, std::string meaning,
                         std::vector<std::string> words, std::optional<OptionSearch> search = {});

/// A text of a form that the schedule reads; words may stand for it.
OptionInfo text_option(std::string name, std::string default_value, std::string meaning,
                       std::vector<std::string> words = {});

/// The same option, of which searches may try these words, or all.
OptionInfo searched(OptionInfo option, std::vector<std::string> alternatives);
OptionInfo searched(OptionInfo option);

/// A number of a kind; words may stand for it.
struct NumberOption {
  OptionKind kind;
  OptionInfo operator()(std::string name, std::string default_value, std::string meaning,
                        OptionRange range = {}, std::vector<std::string> words = {}) const;
};
inline constexpr NumberOption size_option{OptionKind::Size};
inline constexpr NumberOption time_option{OptionKind::Time};
inline constexpr NumberOption count_option{OptionKind::Count};
inline constexpr NumberOption number_option{OptionKind::Number};
inline constexpr NumberOption series_option{OptionKind::Series};

/// A time or size that a cluster's file gives unless the user does; read with time_or or size_or.
inline OptionInfo cluster_option(std::string name, std::string meaning,
                                 OptionKind kind = OptionKind::Time) {
  OptionInfo option = choice_option(std::move(name), "cluster", std::move(meaning), {"cluster"});
  option.kind = kind;
  return option;
}

/// The options of one schedule with the values in force, all of which its table of options allows.
class OptionReader {
 public:
  /// `values` has a value for each of `table`, which must outlive this. Throws InputError
  /// `dear: option fusion_buffer: expected a size such as "25MiB", found "big"`.
  OptionReader(std::string schedule, std::span<const OptionInfo> table, ScheduleOptions values);

  const std::string& schedule() const { return schedule_; }
  const std::string& text(const std::string& name) const { return values_.at(name); }
  bool has(const std::string& name) const { return values_.contains(name); }
  /// Whether the option is set to this word.
  bool is(const std::string& name, std::string_view word) const { return text(name) == word; }

  Bytes size(const std::string& name) const { return {value(name)}; }
  Seconds time(const std::string& name) const { return {value(name)}; }
  std::uint32_t count(const std::string& name) const {
    return static_cast<std::uint32_t>(value(name));
  }
  double number(const std::string& name) const { return value(name); }
  std::vector<double> series(const std::string& name) const;

  /// A time, or the cluster's value if the option is "cluster".
  Seconds time_or(const std::string& name, Seconds of_cluster) const {
    return is(name, "cluster") ? of_cluster : time(name);
  }
  Bytes size_or(const std::string& name, Bytes of_cluster) const {
    return is(name, "cluster") ? of_cluster : size(name);
  }
  /// What a word stands for.
  template <class Value>
  Value choice_of(const std::string& name,
                  std::initializer_list<std::pair<std::string_view, Value>> choices) const {
    for (const auto& [word, value] : choices)
      if (is(name, word))
        return value;
    fail(name, "stands for nothing");
  }
  Algorithm algorithm(const std::string& name = "algorithm") const;

  /// The same options with another value of one of them.
  OptionReader with(const std::string& name, const std::string& value) const;

  /// Throws InputError "<schedule>: option <name>: <why>".
  [[noreturn]] void fail(const std::string& name, const std::string& why) const;

 private:
  double value(const std::string& name) const;
  const OptionInfo& info(const std::string& name) const;

  std::string schedule_;
  std::span<const OptionInfo> table_;
  ScheduleOptions values_;
};

/// The option "algorithm" of a schedule whose collectives are of `kind`.
OptionInfo algorithm_option(CollectiveKind kind = CollectiveKind::AllReduce,
                            const char* of = "all-reduce");

/// The words of the option "algorithm", or of another that names one: algorithms_for(kind).
std::vector<std::string> algorithms_of(CollectiveKind kind);

}  // namespace stepcast
