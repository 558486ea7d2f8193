#include "traces/formats/stepcast/slow_downs_file.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/catalog.hpp"
#include "traces/csv_table.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

constexpr double kMostFactor = 1e6;
constexpr std::int64_t kMostRanks = 1'000'000;

std::string first_comment_of(std::string_view text) {
  if (!text.starts_with('#'))
    return "";
  text.remove_prefix(1);
  while (text.starts_with(' '))
    text.remove_prefix(1);
  return std::string(text.substr(0, text.find_first_of("\r\n")));
}

// By step, each a factor for ranks 0 to n - 1.
std::vector<std::vector<double>> dense(const std::map<std::int64_t, std::map<Rank, double>>& steps,
                                       const std::string& origin) {
  if (steps.empty())
    throw InputError(origin + ": holds no step");
  std::vector<std::vector<double>> all;
  const std::size_t ranks = steps.begin()->second.size();
  for (const auto& [step, factors] : steps) {
    if (factors.size() != ranks || factors.rbegin()->first != ranks - 1)
      throw InputError(fmt::format(
          "{}: step {}: expected a row for each of ranks 0 to {}, as in step {}, found {} up to {}",
          origin, step, ranks - 1, steps.begin()->first, factors.size(), factors.rbegin()->first));
    auto& of_step = all.emplace_back();
    for (const auto& [rank, factor] : factors)
      of_step.push_back(factor);
  }
  return all;
}

bool add_stage(std::map<Rank, std::uint32_t>& stages, Rank rank, std::int64_t stage) {
  constexpr std::int64_t kMostStages = 65536;
  return stage < kMostStages &&
         stages.emplace(rank, static_cast<std::uint32_t>(stage)).first->second == stage;
}

}  // namespace

SlowDown::Recorded read_slow_downs(const std::filesystem::path& file) {
  const std::string text = read_text_file(file);
  CsvTable table(text, file.string());
  const std::size_t step = table.column("step"), rank = table.column("rank"),
                    factor = table.column("factor");
  const bool by_stage = table.has("stage");
  const std::size_t stage = by_stage ? table.column("stage") : rank;
  std::map<std::int64_t, std::map<Rank, double>> steps;
  std::map<Rank, std::uint32_t> stages;
  while (table.next()) {
    const double value = table.number(factor);
    if (!(value > 0 && value <= kMostFactor))
      table.fail(factor, "a factor above 0 and at most 1e6");
    const std::int64_t number = table.whole(rank, 0);
    if (number >= kMostRanks)
      table.fail(rank, "a rank below 1e6");
    if (!steps[table.whole(step, 0)].emplace(static_cast<Rank>(number), value).second)
      table.fail(rank, "each rank once in a step");
    if (by_stage && !add_stage(stages, static_cast<Rank>(number), table.whole(stage, 0)))
      table.fail(stage, "a stage below 65536, of a rank the same in all steps");
  }
  SlowDown::Recorded recorded{.steps = dense(steps, file.string()),
                              .origin = first_comment_of(text)};
  for (const auto& [of, number] : stages)
    recorded.stages.push_back(number);
  return recorded;
}

std::string to_csv(const SlowDown::Recorded& recorded) {
  const bool by_stage = !recorded.stages.empty();
  std::string text =
      fmt::format("# {}\nstep,rank,{}factor\n", recorded.origin, by_stage ? "stage," : "");
  for (std::size_t step = 0; step < recorded.steps.size(); ++step)
    for (std::size_t rank = 0; rank < recorded.steps[step].size(); ++rank)
      text += by_stage ? fmt::format("{},{},{},{:.5g}\n", step, rank, recorded.stages[rank],
                                     recorded.steps[step][rank])
                       : fmt::format("{},{},{:.5g}\n", step, rank, recorded.steps[step][rank]);
  return text;
}

SlowDown::Recorded load_slow_downs(const std::string& name) {
  if (name.find('/') != std::string::npos || name.ends_with(".csv"))
    return read_slow_downs(name);
  constexpr const char* kFolder = "traces/slow_downs";
  const std::vector<std::string> names = names_in(kFolder, ".csv");
  if (std::ranges::find(names, name) == names.end())
    throw InputError(fmt::format("file: expected one of {} or a .csv file, found {}{}",
                                 fmt::join(names, ", "), in_quotes(name),
                                 did_you_mean(name, names)));
  return read_slow_downs(data_root() / kFolder / (name + ".csv"));
}

}  // namespace stepcast
