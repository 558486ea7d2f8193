#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "models/base/numbers.hpp"
#include "sim/report/text/measured/diagnosis_report.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {
namespace {

constexpr double kShown = 0.0005;  // A change, to one decimal of a per cent.

std::string change_of(double now, double before) {
  if (before > 0 && std::abs(now / before - 1) < kShown)
    return "0.0 %";
  constexpr double kMany = 10;
  if (before > 0 && now > kMany * before)
    return fmt::format("x {:.0f}", now / before);
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

/// What a rank's time is of: adds up to the step.
struct TimePart {
  const char* name;
  Seconds RankUse::*time;
};
constexpr std::array kParts{TimePart{"computing", &RankUse::computing},
                            TimePart{"exposed communication", &RankUse::exposed},
                            TimePart{"copies", &RankUse::copies_alone},
                            TimePart{"waiting for other ranks", &RankUse::waiting},
                            TimePart{"idling for the host", &RankUse::idle_for_host},
                            TimePart{"other", &RankUse::other}};

/// By how much the step changed, and with what part of a rank's time that goes most.
std::string change_in_words(const Diagnosis& now, const Diagnosis& before) {
  const Seconds by = now.recorded_step - before.recorded_step;
  if (std::abs(by / before.recorded_step) < kShown)
    return "A step takes as long in both runs.";
  const TimePart* most = &kParts.front();
  const auto moved = [&](const TimePart& part) {
    return mean_of_ranks(now, part.time) - mean_of_ranks(before, part.time);
  };
  for (const TimePart& part : kParts)
    if (moved(part) / by > moved(*most) / by)
      most = &part;
  return fmt::format(
      "A step takes {} ms ({:.1f} %) {} in this run; a rank's mean time for {} is {} "
      "ms {}.",
      milliseconds(Seconds{std::abs(by.value)}), 100 * std::abs(by / before.recorded_step),
      by > Seconds{} ? "longer" : "less", most->name,
      milliseconds(Seconds{std::abs(moved(*most).value)}),
      moved(*most) > Seconds{} ? "longer" : "less");
}

/// How often in a step what ran, of all meetings.
std::map<std::string, double> meetings_of(const Diagnosis& diagnosis) {
  std::map<std::string, double> counts;
  for (const MeetingCost& meeting : diagnosis.meetings)
    counts[meeting.name] += meeting.count;
  return counts;
}

/// Runs of one job have the same collectives.
bool looks_like_another_job(const Diagnosis& now, const Diagnosis& before) {
  constexpr double kSame = 0.9;
  const auto mine = meetings_of(now);
  auto others = meetings_of(before);
  double common = 0;
  double all = 0;
  for (const auto& [name, count] : mine) {
    common += std::min(count, others[name]);
    all += std::max(count, others[name]);
    others.erase(name);
  }
  for (const auto& [name, count] : others)
    all += count;
  return all > 0 && common < kSame * all;
}

}  // namespace

std::string render_comparison(const Diagnosis& diagnosis, const Diagnosis& against) {
  Table table{.columns = {{"compared", Align::Left}, {"other run"}, {"this run"}, {"changed by"}}};
  table.rows.push_back(
      {"verdict", verdict_in_words(against.verdict), verdict_in_words(diagnosis.verdict), ""});
  const auto row = [&](const std::string& name, Seconds now, Seconds before) {
    const std::string was = milliseconds(before);
    const std::string is = milliseconds(now);
    // What is shown as alike has not changed, though by rounding it may have.
    const std::string change = was == is ? "0.0 %" : change_of(now.value, before.value);
    table.rows.push_back({name, was + " ms", is + " ms", change});
  };
  row(diagnosis.timed && against.timed ? "recorded step" : "step", diagnosis.recorded_step,
      against.recorded_step);
  row("step without delays", diagnosis.undelayed_step, against.undelayed_step);
  row("step with even work", diagnosis.ideal_step, against.ideal_step);
  table.rows.push_back({"slow-down", fmt::format("{:.4f}", against.slowdown),
                        fmt::format("{:.4f}", diagnosis.slowdown),
                        change_of(diagnosis.slowdown, against.slowdown)});
  const auto mean_row = [&](const std::string& name, Seconds RankUse::*time) {
    row(name, mean_of_ranks(diagnosis, time), mean_of_ranks(against, time));
  };
  mean_row("computing of a rank", &RankUse::computing);
  mean_row("waiting of a rank", &RankUse::waiting);
  mean_row("exposed comm of a rank", &RankUse::exposed);
  mean_row("idle for host of a rank", &RankUse::idle_for_host);
  add_parts("alone: rank", diagnosis.by_rank, against.by_rank, table);
  add_parts("alone: stage", diagnosis.by_stage, against.by_stage, table);
  add_parts("alone:", diagnosis.by_kind, against.by_kind, table);
  std::string words = change_in_words(diagnosis, against);
  if (looks_like_another_job(diagnosis, against))
    words =
        "Doubtful: its collectives are others than those of this run, like another job's. " + words;
  return fmt::format("\n{}{}{}", render(table), wrap(words, 0),
                     wrap("The other run: " + against.verdict.text, 0));
}

}  // namespace stepcast
