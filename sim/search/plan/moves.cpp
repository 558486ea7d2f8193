#include "sim/search/plan/moves.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "models/collective/libraries/collective_library.hpp"
#include "models/schedule/list/registry.hpp"
#include "models/schedule/model_parallel/schedules.hpp"
#include "sim/forecast/tuning/tuned_option.hpp"

namespace stepcast {
namespace {

constexpr std::array kCounted{"micro_batch", "virtual_stages"};

class Moves {
 public:
  Moves(const PlanSpace& space, const PlanTrial& from) : space_(space), from_(from) {}

  std::vector<PlanTrial> all() && {
    const std::string& name = space_.schedules[from_.schedule].name;
    const ScheduleInfo& schedule = schedule_of(name);
    if (schedule.partitions_model())
      add_of_layout(schedule);
    else
      for (const OptionInfo& option : schedule.options) {
        add_sizes(option);
        add_alternatives(option);
      }
    return std::move(moves_);
  }

  std::vector<PlanTrial> sizes() && {
    const std::string& name = space_.schedules[from_.schedule].name;
    if (const ScheduleInfo& schedule = schedule_of(name); !schedule.partitions_model())
      for (const OptionInfo& option : schedule.options)
        add_sizes(option);
    return std::move(moves_);
  }

 private:
  bool is_listed(const std::string& name) const {
    return std::ranges::find(space_.request.options, name, &ListedOption::name) !=
           space_.request.options.end();
  }

  void add(const std::string& name, const std::string& value) {
    moves_.push_back(from_);
    moves_.back().options[name] = value;
  }

  void add_of_layout(const ScheduleInfo& pipeline) {
    for (const OptionInfo& option : pipeline.options)
      add_alternatives(option);
    for (const char* name : kCounted)
      if (const auto now = from_.options.find(name); now != from_.options.end() && !is_listed(name))
        add_near(name, std::stoul(now->second));
  }

  void add_near(const std::string& name, unsigned long now) {
    std::set<unsigned long> near{now * 2, now + 1, now * 3, std::max(now / 2, 1UL),
                                 std::max(now - 1, 1UL)};
    near.erase(now);
    for (const unsigned long value : near)
      add(name, std::to_string(value));
  }

  const std::string& now(const OptionInfo& option) const {
    const auto given = from_.options.find(option.name);
    return given == from_.options.end() ? option.default_value : given->second;
  }

  void add_alternatives(const OptionInfo& option) {
    if (!is_listed(option.name))
      for (const std::string& word : option.alternatives)
        if (word != now(option) && can_run(option, word))
          add(option.name, word);
  }

  /// Whether the site's collective library has an algorithm; a user may list others.
  bool can_run(const OptionInfo& option, const std::string& word) const {
    const auto algorithm = option.is_of_library ? find_algorithm(word) : std::nullopt;
    if (!algorithm)
      return true;
    const auto library = library_of(space_.sites[from_.site].cluster);
    return std::ranges::any_of(all_collective_kinds(), [&](CollectiveKind kind) {
      return has_algorithm(library, *algorithm, kind);
    });
  }

  // Of data parallelism, such as those of buffers.
  void add_sizes(const OptionInfo& option) {
    const bool is_word = std::ranges::find(option.words, now(option)) != option.words.end();
    if (option.kind != OptionKind::Size || is_word || is_listed(option.name))
      return;
    const double size = parse_option(option, now(option));
    for (const double factor : {0.5, 2.0})
      if (option.range.contains(size * factor))
        add(option.name, write_value(OptionKind::Size, size * factor));
  }

  const PlanSpace& space_;
  const PlanTrial& from_;
  std::vector<PlanTrial> moves_;
};

}  // namespace

std::vector<PlanTrial> moves_from(const PlanSpace& space, const PlanTrial& from) {
  return Moves(space, from).all();
}

std::vector<PlanTrial> resized_from(const PlanSpace& space, const PlanTrial& from) {
  return Moves(space, from).sizes();
}

}  // namespace stepcast
