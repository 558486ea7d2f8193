#include "models/schedule/options.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {

OptionInfo choice_option(std::string name, std::string default_value, std::string meaning,
                         std::vector<std::string> words, std::optional<OptionSearch> search) {
  OptionInfo option{.name = std::move(name), .default_value = std::move(default_value)};
  option.meaning = std::move(meaning);
  option.words = std::move(words);
  option.search = std::move(search);
  return option;
}

OptionInfo text_option(std::string name, std::string default_value, std::string meaning,
                       std::vector<std::string> words) {
  OptionInfo option = choice_option(std::move(name), std::move(default_value), std::move(meaning),
                                    std::move(words));
  option.kind = OptionKind::Text;
  return option;
}

OptionInfo searched(OptionInfo option, std::vector<std::string> alternatives) {
  option.alternatives = std::move(alternatives);
  return option;
}

OptionInfo searched(OptionInfo option) {
  option.alternatives = option.words;
  return option;
}

OptionInfo NumberOption::operator()(std::string name, std::string default_value,
                                    std::string meaning, OptionRange range,
                                    std::vector<std::string> words) const {
  OptionInfo option = choice_option(std::move(name), std::move(default_value), std::move(meaning),
                                    std::move(words));
  option.kind = kind;
  option.range = range;
  return option;
}

OptionReader::OptionReader(std::string schedule, std::span<const OptionInfo> table,
                           ScheduleOptions values)
    : schedule_(std::move(schedule)), table_(table), values_(std::move(values)) {
  for (const OptionInfo& option : table) {
    try {
      check_option(option, text(option.name));
    } catch (const InputError& error) {
      fail(option.name, error.what());
    }
  }
}

Algorithm OptionReader::algorithm(const std::string& name) const {
  return *find_algorithm(text(name));
}

OptionReader OptionReader::with(const std::string& name, const std::string& value) const {
  ScheduleOptions values = values_;
  values[name] = value;
  return {schedule_, table_, std::move(values)};
}

void OptionReader::fail(const std::string& name, const std::string& why) const {
  throw InputError(fmt::format("{}: option {}: {}", schedule_, name, why));
}

const OptionInfo& OptionReader::info(const std::string& name) const {
  const auto option = std::ranges::find(table_, name, &OptionInfo::name);
  if (option == table_.end())
    fail(name, "is not in the table of options");
  return *option;
}

double OptionReader::value(const std::string& name) const {
  return parse_option(info(name), text(name));
}

std::vector<double> OptionReader::series(const std::string& name) const {
  return parse_series(info(name), text(name));
}

OptionInfo algorithm_option(CollectiveKind kind, const char* of) {
  OptionInfo option = searched(choice_option(
      "algorithm", "ring",
      fmt::format("algorithm of the {}: ring, hierarchical-ring, halving-doubling{}", of,
                  kind == CollectiveKind::AllReduce ? ", double-binary-tree, nccl" : ""),
      algorithms_of(kind)));
  option.is_of_library = true;
  return option;
}

std::vector<std::string> algorithms_of(CollectiveKind kind) {
  std::vector<std::string> names;
  for (const Algorithm each : algorithms_for(kind))
    names.emplace_back(name_of(each));
  return names;
}

}  // namespace stepcast
