#include "sim/report/text/measured/rank_report.hpp"

#include <fmt/format.h>

#include "models/base/text.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {
namespace {

std::string stragglers_text(const RankComparison& comparison) {
  if (comparison.missing() > 0)
    return wrap(fmt::format("The traces of {} of the job's {} ranks are missing: one of these may "
                            "be the one that all others wait for, so no straggler is named.",
                            comparison.missing(), comparison.job),
                0);
  std::string text;
  for (const RankTiming& timing : comparison.ranks)
    if (timing.straggler)
      text += wrap(
          fmt::format("Straggler: {} comes last to {} of {} collectives; all others wait "
                      "{} a step for it alone.",
                      timing.name, timing.last, timing.collectives, format_seconds(timing.holding)),
          0);
  return text.empty() ? "No straggler.\n" : text;
}

/// "all ranks", "all given ranks".
std::string whom(const RankComparison& comparison) {
  return comparison.missing() > 0 ? "all given ranks" : "all ranks";
}

}  // namespace

std::string render_ranks(const RankComparison& comparison) {
  if (comparison.ranks.empty())
    return wrap("Not compared as ranks of one job: " + comparison.why_not, 0);
  Table table{.columns = {{"rank", Align::Left},
                          {"clock offset"},
                          {"half within"},
                          {"mean step"},
                          {"waits"},
                          {"last to"},
                          {"holds up others"}}};
  for (const RankTiming& timing : comparison.ranks)
    table.rows.push_back({timing.name, format_offset(timing.clock_offset),
                          format_seconds(timing.spread), format_seconds(timing.mean_step),
                          format_seconds(timing.waiting), fmt::format("{}", timing.last),
                          format_seconds(timing.holding)});
  std::string text = render(table);
  text += wrap(fmt::format("Clock offsets by the ends of {} collectives that {} took part in; "
                           "waits: a step, in them for the rank that comes last.",
                           comparison.collectives, whom(comparison)),
               0);
  if (comparison.unmatched > 0)
    text += wrap(fmt::format("{} collectives have no partner that ends with them on every other "
                             "rank.",
                             comparison.unmatched),
                 0);
  return text + stragglers_text(comparison);
}

}  // namespace stepcast
