#include "sim/report/text/measured/diagnosis_comparison.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/base/numbers.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {
namespace {

std::string change_of(double now, double before) {
  constexpr double kShown = 0.0005;
  if (before > 0 && std::abs(now / before - 1) < kShown)
    return "0.0 %";
  return before > 0 ? fmt::format("{:+.1f} %", (now / before - 1) * 100) : "-";
}

void add_parts(const std::string& what, const std::vector<PartSlowdown>& now,
               const std::vector<PartSlowdown>& before, Table& table) {
  if (now.size() < 2)
    return;
  for (const PartSlowdown& part : now) {
    const auto other = std::ranges::find(before, part.name, &PartSlowdown::name);
    if (other != before.end())
      table.rows.push_back(
          {fmt::format("{} {}", what, part.name), fmt::format("{:.4f}", other->slowdown),
           fmt::format("{:.4f}", part.slowdown), change_of(part.slowdown, other->slowdown)});
  }
}

}  // namespace

std::string render_comparison(const Diagnosis& diagnosis, const Diagnosis& against) {
  Table table{.columns = {{"compared", Align::Left}, {"other run"}, {"this run"}, {"changed by"}}};
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
  add_parts("alone: stage", diagnosis.by_stage, against.by_stage, table);
  add_parts("alone:", diagnosis.by_kind, against.by_kind, table);
  return fmt::format("\n{}{}", render(table), wrap("The other run: " + against.verdict.text, 0));
}

}  // namespace stepcast
