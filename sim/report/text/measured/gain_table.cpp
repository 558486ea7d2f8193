#include "sim/report/text/measured/gain_table.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {

std::string render_gains(const Diagnosis& diagnosis) {
  Table table{.columns = {{"with", Align::Left}, {"step ms"}, {"instead of"}, {"less by"}}};
  const auto row = [&](const std::string& name, Seconds now, std::optional<Seconds> step) {
    if (step)
      table.rows.push_back(
          {name, milliseconds(*step), milliseconds(now), percent(1 - *step / now)});
  };
  constexpr std::size_t kMostNames = 4;
  std::string worst;
  const std::vector<std::uint32_t>& ranks = diagnosis.worst_ranks.ranks;
  for (std::size_t i = 0; i < std::min(ranks.size(), kMostNames); ++i)
    worst += fmt::format("{}{}", worst.empty() ? "" : ", ", label_of(diagnosis.ranks[ranks[i]]));
  if (ranks.size() > kMostNames)
    worst += " ..";
  const Seconds undelayed = diagnosis.undelayed_step;
  row("no gaps of the host", diagnosis.simulated_step, diagnosis.gains.no_host_gaps);
  row(fmt::format("no straggler: rank{} {} as others", ranks.size() == 1 ? "" : "s", worst),
      undelayed, diagnosis.gains.even_ranks);
  row("work spread evenly over the stages", undelayed, diagnosis.gains.even_stages);
  const std::string transfers =
      diagnosis.missing.any() ? "transfers, with waits in them," : "transfers";
  row(transfers + " in half their time", undelayed, diagnosis.gains.faster_network);
  row(transfers + " in no time", undelayed, diagnosis.gains.free_network);
  if (const auto& larger = diagnosis.gains.larger_buckets)
    row(fmt::format("larger buckets, of {} or more", format_bytes(larger->size)), larger->now,
        larger->step);
  const std::string which =
      diagnosis.gains.larger_buckets ? "all but the first and the last" : "all but the first";
  return fmt::format("\nWhat a step takes with one thing better, {} without delays:\n{}", which,
                     render(table));
}

}  // namespace stepcast
