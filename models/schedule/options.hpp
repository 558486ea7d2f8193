#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/collective/collective.hpp"
#include "models/schedule/schedule_info.hpp"

namespace stepcast {

/// Reads the options of one schedule: every name was checked, every option has a value. Errors are
/// InputErrors `dear: option fusion_buffer: expected a size such as "25MiB", found "big"`.
class OptionReader {
 public:
  OptionReader(std::string schedule, const ScheduleOptions& options)
      : schedule_(std::move(schedule)), options_(options) {}

  const std::string& text(const std::string& name) const { return options_.at(name); }
  Bytes size(const std::string& name) const;
  /// A size of at least `least`.
  Bytes size_from(const std::string& name, Bytes least) const;
  std::uint32_t count(const std::string& name, std::uint32_t least) const;
  /// A plain number from `least` on.
  double number(const std::string& name, double least) const;
  /// A whole number from 1 to 1,024, for what the plan is repeated by.
  std::uint32_t repeats(const std::string& name) const;
  /// One of the choices.
  const std::string& choice(const std::string& name,
                            std::initializer_list<std::string_view> choices) const;
  /// What the choice stands for.
  template <class Value>
  Value choice_of(const std::string& name,
                  std::initializer_list<std::pair<std::string_view, Value>> choices) const {
    std::vector<std::string_view> names;
    for (const auto& [each, value] : choices)
      names.push_back(each);
    return choices.begin()[index_of_choice(name, names)].second;
  }
  /// A time, or the cluster's value if the option is "cluster".
  Seconds time_or(const std::string& name, Seconds of_cluster) const;
  Bytes size_or(const std::string& name, Bytes of_cluster) const;
  /// An algorithm that implements `kind`.
  Algorithm algorithm(const std::string& name, CollectiveKind kind) const;

  /// Throws InputError "<schedule>: option <name>: <why>".
  [[noreturn]] void fail(const std::string& name, const std::string& why) const;

 private:
  std::size_t index_of_choice(const std::string& name,
                              std::span<const std::string_view> choices) const;

  std::string schedule_;
  const ScheduleOptions& options_;
};

}  // namespace stepcast
