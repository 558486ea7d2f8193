#include <algorithm>
#include <map>

#include "models/base/index.hpp"
#include "sim/engine/program.hpp"

namespace stepcast {
namespace {

// Classes of the same teams run the same steps; the rows of each team.
struct RowsOfTeams {
  std::vector<std::uint32_t> row_of_class;
  std::vector<std::vector<std::uint32_t>> rows;  // by team
  std::uint32_t count = 0;
};

RowsOfTeams rows_of(const Folding& folding) {
  const std::size_t classes = folding.classes.size();
  std::vector<std::vector<TeamId>> teams(classes);
  for (TeamId team = 0; team < folding.members.size(); ++team)
    for (const ClassId id : folding.members[team])
      teams[id].push_back(team);
  RowsOfTeams result{.row_of_class = std::vector<std::uint32_t>(classes),
                     .rows = std::vector<std::vector<std::uint32_t>>(folding.members.size())};
  std::map<std::vector<TeamId>, std::uint32_t> known;
  for (ClassId id = 0; id < classes; ++id) {
    const auto [row, is_new] = known.try_emplace(teams[id], result.count);
    result.row_of_class[id] = row->second;
    if (!is_new)
      continue;
    ++result.count;
    for (const TeamId team : teams[id])
      result.rows[team].push_back(row->second);
  }
  return result;
}

}  // namespace

Rows::Rows(const std::vector<ProgramStep>& steps, const Folding& folding, std::size_t streams)
    : streams_(streams) {
  RowsOfTeams teams = rows_of(folding);
  row_of_class_ = std::move(teams.row_of_class);
  std::vector<std::size_t> counts(teams.count * streams + 1);
  const auto for_each_row = [&](auto visit) {
    for (StepId step = 0; step < steps.size(); ++step)
      for (const std::uint32_t row : teams.rows[steps[step].team])
        visit(row * streams + steps[step].stream, step);
  };
  for_each_row([&](std::size_t row, StepId) { ++counts[row + 1]; });
  first_.push_back(0);
  for (std::size_t i = 1; i < counts.size(); ++i)
    first_.push_back(checked_id(first_.back() + counts[i], "steps times programs"));
  steps_.resize(first_.back());
  std::vector<std::uint32_t> free = first_;
  for_each_row([&](std::size_t row, StepId step) { steps_[free[row]++] = step; });
}

}  // namespace stepcast
