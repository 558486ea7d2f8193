#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "sim/cli/output/study_output.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_request.hpp"
#include "sim/cli/study/study_log.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/report/text/studies/parts_breakdown_report.hpp"
#include "sim/study/sweep/study_cost.hpp"
#include "sim/workers/stop.hpp"
#include "sim/workers/workers.hpp"

namespace stepcast {
namespace {

constexpr const char* kExample =
    "stepcast breakdown --workload resnet50-rtx2080ti-bs32 --cluster rtx2080ti-16x4-ib100\n"
    "      --schedule spd-kfac --protocol ablation";

/// Divides the time of a step into the parts that the papers on K-FAC report, or, for another
/// schedule, into those of every forecast.
class BreakdownCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.description =
                "--protocol exposed: of one forecast; communication counts where no compute runs.\n"
                "--protocol ablation: differences of whole iterations with one part more switched "
                "on each time,\nas the authors of these systems measure.",
            .examples = {kExample}};
  }

  std::vector<CommandOption> options() override {
    std::vector<CommandOption> options = options_of(
        request_, {"--schedule", "S", &request_.schedule, "name (see stepcast list schedules)"});
    options.push_back({"--protocol", "P", &protocol_, "exposed (the default) or ablation"});
    std::ranges::move(output_.options({.csv = "also write the parts as a table, each as it comes",
                                       .page = false}),
                      std::back_inserter(options));
    return options;
  }

  int run() override {
    const PartsProtocol protocol = parse_protocol(protocol_);
    const Scenario scenario = resolve_one_schedule(request_, kExample);
    const StopsBetweenJobs stops;
    const std::uint32_t forecasts = protocol == PartsProtocol::Ablation ? kMostParts : 1;
    warn_of_study(cost_of(scenario, scenario.schedules.front(), forecasts, available_cores()),
                  forecasts, scenario.engine.fidelity, available_cores());
    GrowingTable csv;
    const PartsBreakdown breakdown = breakdown_of(scenario, protocol, csv);
    if (breakdown.missing > 0)
      tell("stepcast: {}: {} of {} parts are missing\n", stop_in_words(), breakdown.missing,
           breakdown.missing + breakdown.parts.size());
    return output_.write({.text = [&] { return render_parts_breakdown(breakdown); },
                          .json = [&] { return parts_breakdown_json(breakdown); },
                          .finish = [&] { csv.finish(); }});
  }

 private:
  static constexpr std::uint32_t kMostParts =
      7;  ///< That an ablation switches on, one after the other.

  PartsBreakdown breakdown_of(const Scenario& scenario, PartsProtocol protocol,
                              GrowingTable& csv) const {
    Progress progress("simulation");
    csv = GrowingTable(output_.csv(), parts_breakdown_csv_head());
    std::uint32_t count = 0;
    return find_parts_breakdown(
        scenario, protocol,
        {.workers = available_cores(), .finished = [&progress] { progress.step(); }},
        [&](const NamedTime& part) { csv.add(count++, parts_breakdown_csv_row(part)); });
  }

  RunRequest request_;
  std::string protocol_ = "exposed";
  StudyOutput output_;
};

}  // namespace

std::unique_ptr<Subcommand> make_breakdown_command() {
  return std::make_unique<BreakdownCommand>();
}

}  // namespace stepcast
