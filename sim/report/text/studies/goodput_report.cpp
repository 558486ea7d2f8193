#include "sim/report/text/studies/goodput_report.hpp"

#include <fmt/format.h>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/report/text/facts.hpp"
#include "sim/report/text/table.hpp"
#include "sim/report/text/wording.hpp"

namespace stepcast {
namespace {

// What lasts longer than two hours is told in hours.
std::string long_time(Seconds time) {
  constexpr double kHour = 3600;
  return time.value < 2 * kHour ? format_seconds(time)
                                : fmt::format("{:.1f} h", time.value / kHour);
}

std::string quantile_text(const ShareQuantile& quantile) {
  if (quantile.low <= 0 || quantile.high <= 0)
    return percent(quantile.value);
  return fmt::format("{} ({} to {})", percent(quantile.value), percent(quantile.low),
                     percent(quantile.high));
}

std::string band_text(const FaultBand& band) {
  return fmt::format("{:.0f} to {:.0f}", band.low, band.high);
}

std::vector<std::string> sentences_on(const FaultOutlook& outlook) {
  return {fmt::format("The next time as long as the record brings, with 90 %, {} faults at a "
                      "constant rate (Poisson), {} where levels change as they did.",
                      band_text(outlook.poisson), band_text(outlook.bursts)),
          outlook.trust_bursts
              ? fmt::format("Trust the second: by sixths of the record the variance of {:.0f} "
                            "faults is {:.1f} times their mean, not 1.",
                            outlook.faults, outlook.dispersion)
              : "Trust the first: sixths of the record differ no more than a constant rate lets "
                "them."};
}

Facts facts_of(const GoodputAnswer& answer) {
  const Goodput& goodput = answer.goodput;
  const JobLife& shares = goodput.shares;
  const GoodputRequest& request = answer.question.request;
  Facts facts{{"runs", fmt::format("{} seeds of {}", goodput.seeds, long_time(goodput.length))},
              {"between faults", long_time(goodput.mtbf)},
              {"interval", long_time(goodput.interval)},
              {"efficiency", percent(goodput.efficiency)},
              {"efficiency P5", quantile_text(goodput.p5)},
              {"efficiency P50", quantile_text(goodput.p50)},
              {"efficiency P95", quantile_text(goodput.p95)},
              {"checkpoints", percent(shares.checkpoints)},
              {"lost", percent(shares.lost)},
              {"restarting", percent(shares.restarting)},
              {"waiting for nodes", percent(shares.waiting)}};
  if (request.fleet || request.sources)
    facts.insert(facts.begin() + 1, {"nodes", std::to_string(request.nodes)});
  if (shares.slowed > 1e-9)
    facts.emplace_back("slowed", percent(shares.slowed));
  facts.emplace_back("faults in a run", fmt::format("{:.1f}", goodput.faults));
  facts.emplace_back("Young-Daly interval", long_time(goodput.daly_interval));
  facts.emplace_back("Young-Daly efficiency", percent(goodput.daly_efficiency));
  return facts;
}

void add_training(Facts& facts, const GoodputAnswer& answer) {
  const GoodputQuestion& question = answer.question;
  if (question.request.spares > 0 || question.choose_spares)
    facts.emplace_back("spares", std::to_string(question.request.spares));
  if (!question.training)
    return;
  facts.emplace_back("step without faults", format_seconds(question.training->step));
  facts.emplace_back(
      "samples/s that stay",
      fmt::format("{:.1f} of {:.1f}", answer.kept_samples_per_s, question.training->samples_per_s));
  facts.emplace_back("goodput of all nodes", percent(answer.goodput_share));
  if (answer.hours)
    facts.emplace_back("hours to the samples",
                       fmt::format("{:.1f} (P95 {:.1f})", answer.hours->p50, answer.hours->p95));
  if (answer.cost)
    facts.emplace_back("cost to the samples",
                       fmt::format("{:.0f} (P95 {:.0f})", answer.cost->p50, answer.cost->p95));
}

std::string spares_table(const GoodputAnswer& answer) {
  if (answer.spares_tried.empty())
    return "";
  Table table{
      {{"spares", Align::Right}, {"efficiency", Align::Right}, {"of all nodes held", Align::Right}},
      {}};
  for (const SparesTried& tried : answer.spares_tried)
    table.rows.push_back(
        {std::to_string(tried.spares), percent(tried.efficiency), percent(tried.paid)});
  return render(table).insert(0, 1, '\n');
}

std::string sizes_table(const GoodputAnswer& answer) {
  if (!answer.question.training || answer.question.training->steps->empty())
    return "";
  Table table{{{"nodes", Align::Right}, {"slowest link", Align::Right}, {"step ms", Align::Right}},
              {}};
  for (const auto& [size, step] : *answer.question.training->steps)
    table.rows.push_back({std::to_string(size.first), percent(size.second),
                          step > Seconds{} ? milliseconds(step) : "cannot run"});
  return render(table).insert(0, 1, '\n');
}

}  // namespace

std::string render_goodput(const GoodputAnswer& answer) {
  Facts facts = facts_of(answer);
  add_training(facts, answer);
  std::string text = render(facts) + spares_table(answer) + sizes_table(answer);
  if (answer.goodput.outlook)
    text += list_of("Outlook", sentences_on(*answer.goodput.outlook));
  return text + list_of("Warnings", answer.warnings);
}

}  // namespace stepcast
