#include "sim/report/text/measured/diagnosis_report.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/report/fields/diagnosis_fields.hpp"
#include "sim/report/text/wording.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kMostClocks = 4;

std::string title(const Diagnosis& diagnosis) {
  const auto servers =
      static_cast<std::size_t>(std::ranges::count(diagnosis.ranks, true, &JobRank::serves));
  const std::size_t recorded = diagnosis.ranks.size() - servers;
  std::string ranks =
      (diagnosis.missing.at_least ? "at least " : "") + gpus_in_words(diagnosis.gpus);
  if (servers > 0)
    ranks += fmt::format(" and {} server{}", servers, servers == 1 ? "" : "s");
  if (recorded != diagnosis.gpus || diagnosis.missing.any())
    ranks += fmt::format(", {} rank{} recorded", recorded, recorded == 1 ? "" : "s");
  return wrap(fmt::format("{}: {}, {} stage{} x {} data-parallel group{}, {} step{}", diagnosis.job,
                          ranks, diagnosis.stages, diagnosis.stages == 1 ? "" : "s",
                          diagnosis.groups, diagnosis.groups == 1 ? "" : "s", diagnosis.steps,
                          diagnosis.steps == 1 ? "" : "s"),
              0);
}

/// By how much the replay misses what was recorded: the mean step, the worst one and the worst
/// rank.
std::string errors(const Diagnosis& diagnosis) {
  constexpr double kShown = 0.0005;
  if (!diagnosis.timed)
    return "The traces hold durations and no times: when work ran follows from what it waits for.";
  std::string text = fmt::format("The simulated steps miss the recorded ones by {} on average",
                                 percent(diagnosis.step_error));
  const auto worst = std::ranges::max_element(diagnosis.replayed, {}, &DiagnosedStep::error);
  if (diagnosis.steps > 1 && worst->error() >= kShown)
    text += fmt::format(", step {} by {}", worst->name, percent(worst->error()));
  const auto rank = std::ranges::max_element(diagnosis.uses, {}, &RankUse::replay_error);
  if (diagnosis.ranks.size() > 1 && rank->replay_error >= kShown)
    text += fmt::format("; the ends of rank {} by {}", label_of(diagnosis.ranks[rank->rank]),
                        percent(rank->replay_error));
  return text + ".";
}

/// Whether the step without delays is also one without waits for what is not recorded.
bool waits_go(const Diagnosis& diagnosis) {
  constexpr double kShown = 0.0005;
  return diagnosis.undelayed_step < diagnosis.gains.no_host_gaps * (1 - kShown);
}

std::string times(const Diagnosis& diagnosis) {
  constexpr double kHoursOfDay = 24;
  const double waste = std::max(0.0, 1 - 1 / diagnosis.slowdown);
  Table table{.columns = {{"step", Align::Left}, {"ms"}}};
  if (diagnosis.steps > 1)
    table.columns.insert(table.columns.end(), {{"P50 ms"}, {"P95 ms"}, {"max ms"}});
  const auto row = [&](const std::string& name, Seconds mean, const StepSpread& spread) {
    table.rows.push_back({name, milliseconds(mean)});
    if (diagnosis.steps > 1)
      for (const Seconds time : {spread.p50, spread.p95, spread.most})
        table.rows.back().push_back(milliseconds(time));
  };
  if (diagnosis.timed)
    row("recorded", diagnosis.recorded_step, diagnosis.recorded_spread);
  row("simulated", diagnosis.simulated_step, diagnosis.simulated_spread);
  row(waits_go(diagnosis) ? "without delays, waits" : "without delays", diagnosis.undelayed_step,
      diagnosis.undelayed_spread);
  row("even work", diagnosis.ideal_step, diagnosis.ideal_spread);
  const std::string waits =
      waits_go(diagnosis)
          ? wrap("Waits are those for ranks, collectives and messages that are not recorded.", 0)
          : "";
  const std::string stalls =
      diagnosis.pace.stalled_steps > 0 ? wrap(describe(diagnosis.pace), 0) : "";
  return render(table) + stalls + waits +
         wrap(fmt::format(
                  "Slow-down {:.4f} against even work: {} of the step is waste, {:.0f} GPU-hours a "
                  "day. {}",
                  diagnosis.slowdown, percent(waste), kHoursOfDay * diagnosis.gpus * waste,
                  errors(diagnosis)),
              0);
}

std::string share_text(const WasteExplained& explained) {
  return explained.share ? fmt::format("{:.3f}", *explained.share) : "-";
}

std::string explained(const Diagnosis& diagnosis) {
  std::string worst;
  for (const std::uint32_t rank : diagnosis.worst_ranks.ranks)
    worst += fmt::format("{}{}", worst.empty() ? "" : ", ", label_of(diagnosis.ranks[rank]));
  Table table{.columns = {{"waste explained by", Align::Left}, {"share"}, {"slow-down alone"}}};
  table.rows.push_back({"worst ranks: " + worst, share_text(diagnosis.worst_ranks),
                        fmt::format("{:.4f}", diagnosis.worst_ranks.alone)});
  if (!diagnosis.last_stage.ranks.empty() && diagnosis.stages > 1)
    table.rows.push_back({fmt::format("last stage: {}", diagnosis.stages - 1),
                          share_text(diagnosis.last_stage),
                          fmt::format("{:.4f}", diagnosis.last_stage.alone)});
  return render(table);
}

/// The slowest first, of many the first ones. One part alone says nothing, nor do fast ones.
void add_parts(const std::string& what, std::vector<PartSlowdown> all, Table& table) {
  constexpr std::size_t kMostParts = 3;
  constexpr double kSlow = 1.005;
  std::ranges::stable_sort(all, std::greater<>(), &PartSlowdown::slowdown);
  if (all.size() < 2 || all.front().slowdown < kSlow)
    return;
  const auto slow = static_cast<std::size_t>(
      std::ranges::count_if(all, [](const PartSlowdown& part) { return part.slowdown >= kSlow; }));
  const std::size_t shown = std::min(slow, kMostParts);
  for (std::size_t i = 0; i < shown; ++i)
    table.rows.push_back({what, all[i].name, fmt::format("{:.4f}", all[i].slowdown)});
  if (slow > shown)
    table.rows.push_back({what, fmt::format("and {} more", slow - shown), ""});
}

std::string parts(const Diagnosis& diagnosis) {
  Table table{.columns = {{"part", Align::Left}, {"name", Align::Left}, {"slow-down alone"}}};
  add_parts("stage", diagnosis.by_stage, table);
  if (diagnosis.by_data.size() < diagnosis.by_rank.size())  // Else each is a rank.
    add_parts("data-parallel group", diagnosis.by_data, table);
  add_parts("host", diagnosis.by_node, table);
  add_parts("kind of work", diagnosis.by_kind, table);
  return table.rows.empty() ? "" : "\n" + render(table);
}

/// "rank 0, rank 1; rank 2, rank 3"; of many the first ones.
std::string parts_in_words(const JobClocks& clocks) {
  constexpr std::size_t kMostNames = 4;
  std::map<std::uint32_t, std::vector<std::string>> names;
  for (const HostClock& clock : clocks.hosts)
    names[clock.part].push_back(clock.name);
  std::string text;
  for (const auto& [part, of_part] : names)
    text += (text.empty() ? "" : "; ") + first_of(of_part, kMostNames);
  return text;
}

std::string jumps_in_words(const JobClocks& clocks) {
  constexpr std::size_t kMostJumps = 3;
  std::vector<std::string> jumps;
  for (const JumpedClock& jump : clocks.jumps)
    jumps.push_back(
        fmt::format("{} in step {} by {}", jump.host, jump.step, format_seconds(jump.by)));
  return fmt::format("Clocks jumped, and these steps are left out: {}.",
                     first_of(jumps, kMostJumps));
}

/// Clocks that were moved; nothing where all ranks share one.
std::string clock_table(const Diagnosis& diagnosis) {
  const JobClocks& clocks = diagnosis.clocks;
  if (clocks.hosts.size() < 2)
    return "";
  Table table = table_of(clock_fields(), clock_rows(diagnosis));
  table.rows.resize(std::min(table.rows.size(), kMostClocks));
  std::string text = "\n" + render(table) + and_more(clocks.hosts.size(), kMostClocks);
  if (clocks.by_step)
    text += "Offsets move from step to step and were found for each; the table has their middle.\n";
  if (!clocks.jumps.empty())
    text += wrap(jumps_in_words(clocks), 0);
  if (clocks.parts > 1)
    text += wrap(fmt::format("Nothing joins the clocks of {} parts of the job: {}.", clocks.parts,
                             parts_in_words(clocks)),
                 0);
  return text;
}

std::string doubts(const Diagnosis& diagnosis) {
  std::string text;
  const auto add = [&](std::size_t count, std::string_view before, std::string_view after) {
    if (count > 0)
      text += wrap(fmt::format("{}: {} {}", before, count, after), 0);
  };
  add(diagnosis.taken_apart, "Doubtful",
      "collectives and messages contradict others and were taken apart; events are missing or were "
      "paired wrongly.");
  add(diagnosis.restored, "Rows restored", "operations that other steps have and these lost.");
  add(diagnosis.lost, "Rows lost for good",
      "operations that others have, of which nothing tells when they ran.");
  return text;
}

}  // namespace

std::string render_diagnosis(const Diagnosis& diagnosis) {
  const std::string doubt =
      diagnosis.doubts.empty()
          ? ""
          : wrap(fmt::format("Doubtful: {}.", fmt::join(diagnosis.doubts, "; ")), 0);
  return fmt::format("{}{}\n{}\n{}\n{}{}{}{}{}{}{}{}{}", doubt, title(diagnosis),
                     wrap(diagnosis.verdict.text, 0), times(diagnosis), explained(diagnosis),
                     parts(diagnosis), render_ranks(diagnosis), render_uneven_kernels(diagnosis),
                     render_meetings(diagnosis), render_gains(diagnosis), render_path(diagnosis),
                     clock_table(diagnosis), doubts(diagnosis));
}

}  // namespace stepcast
