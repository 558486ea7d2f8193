#include "sim/report/text/measured/diagnosis_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "models/base/numbers.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {
namespace {

constexpr double kShown = 0.0005;  // A change, to one decimal of a per cent.

std::string change_of(double now, double before) {
  if (before > 0 && std::abs(now / before - 1) < kShown)
    return "0.0 %";
  return before > 0 ? fmt::format("{:+.1f} %", (now / before - 1) * 100) : "-";
}

/// Those that moved most, if they moved at all.
void add_parts(const std::string& what, const std::vector<PartSlowdown>& now,
               const std::vector<PartSlowdown>& before, Table& table) {
  constexpr std::size_t kMostRows = 4;
  std::vector<std::pair<PartSlowdown, PartSlowdown>> moved;
  for (const PartSlowdown& part : now) {
    const auto other = std::ranges::find(before, part.name, &PartSlowdown::name);
    if (other != before.end() && std::abs(part.slowdown / other->slowdown - 1) >= kShown)
      moved.emplace_back(part, *other);
  }
  if (now.size() < 2)
    return;
  std::ranges::stable_sort(moved, std::greater<>(), [](const auto& pair) {  // by what is shown
    return std::round(1e4 * std::abs(pair.first.slowdown / pair.second.slowdown - 1));
  });
  moved.resize(std::min(moved.size(), kMostRows));
  for (const auto& [part, other] : moved)
    table.rows.push_back(
        {fmt::format("{} {}", what, part.name), fmt::format("{:.4f}", other.slowdown),
         fmt::format("{:.4f}", part.slowdown), change_of(part.slowdown, other.slowdown)});
}

/// "worker: rank 2"
std::string verdict_in_words(const JobVerdict& verdict) {
  const std::string kind = name_of(verdict.kind);
  return verdict.subject.empty() ? kind : kind + ": " + verdict.subject;
}

}  // namespace

std::string render_comparison(const Diagnosis& diagnosis, const Diagnosis& against) {
  Table table{.columns = {{"compared", Align::Left}, {"other run"}, {"this run"}, {"changed by"}}};
  table.rows.push_back(
      {"verdict", verdict_in_words(against.verdict), verdict_in_words(diagnosis.verdict), ""});
  const auto row = [&](const std::string& name, Seconds now, Seconds before) {
    table.rows.push_back({name, milliseconds(before) + " ms", milliseconds(now) + " ms",
                          change_of(now.value, before.value)});
  };
  row("recorded step", diagnosis.recorded_step, against.recorded_step);
  row("step without delays", diagnosis.undelayed_step, against.undelayed_step);
  row("step with even work", diagnosis.ideal_step, against.ideal_step);
  table.rows.push_back({"slow-down", fmt::format("{:.4f}", against.slowdown),
                        fmt::format("{:.4f}", diagnosis.slowdown),
                        change_of(diagnosis.slowdown, against.slowdown)});
  const auto mean_row = [&](const std::string& name, Seconds RankUse::*time) {
    row(name, mean_of_ranks(diagnosis, time), mean_of_ranks(against, time));
  };
  mean_row("waiting of a rank", &RankUse::waiting);
  mean_row("exposed comm of a rank", &RankUse::exposed);
  mean_row("idle for host of a rank", &RankUse::idle_for_host);
  add_parts("alone: rank", diagnosis.by_rank, against.by_rank, table);
  add_parts("alone: stage", diagnosis.by_stage, against.by_stage, table);
  add_parts("alone:", diagnosis.by_kind, against.by_kind, table);
  return fmt::format("\n{}{}", render(table), wrap("The other run: " + against.verdict.text, 0));
}

}  // namespace stepcast
