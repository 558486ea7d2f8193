#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/kfac/parts.hpp"
#include "models/schedule/registry.hpp"
#include "sim/cli/effects.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_request.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/engine/steps.hpp"
#include "sim/report/text/shared_notes.hpp"
#include "sim/report/text/table.hpp"
#include "sim/report/text/wording.hpp"
#include "sim/study/kfac/kfac_parts.hpp"

namespace stepcast {
namespace {

constexpr const char* kExample =
    "stepcast breakdown --workload resnet50-rtx2080ti-bs32 --cluster rtx2080ti-16x4-ib100\n"
    "      --schedule spd-kfac --protocol ablation";

/// Where the time of a K-FAC step goes, as exposed time or by the protocol of the papers.
class BreakdownCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.name = "breakdown",
            .summary = "Where the time of a K-FAC step goes, part by part",
            .description =
                "--protocol exposed: of one forecast; communication counts where no compute runs.\n"
                "--protocol ablation: differences of whole iterations with one part more switched "
                "on each time,\nas the authors of these systems measure.",
            .examples = {kExample}};
  }

  std::vector<CommandOption> options() override {
    std::vector<CommandOption> options = options_of(
        request_, {"--schedule", "S", &request_.schedule, "a K-FAC system (see stepcast list)"});
    options.push_back({"--protocol", "P", &protocol_, "exposed (the default) or ablation"});
    options.push_back({"--json", "", &json_, "print JSON"});
    return options;
  }

  int run() override {
    if (protocol_ != "exposed" && protocol_ != "ablation")
      throw InputError(
          fmt::format("--protocol: expected exposed or ablation, found {}", in_quotes(protocol_)));
    const Scenario scenario = resolve_one_schedule(request_, kExample);
    check(scenario);
    const std::vector<NamedTime> parts = parts_of(scenario);
    const TuningJob job = job_of(scenario, scenario.schedules.front());
    const auto notes = notes_before_simulation(scenario, job, planned(job));
    fmt::print("{}", json_ ? json_of(scenario, parts, notes) : text_of(scenario, parts, notes));
    return 0;
  }

 private:
  static void check(const Scenario& scenario) {
    const ScheduleInfo& schedule = schedule_of(scenario.schedules.front());
    if (std::ranges::find(schedule.options, "parts", &OptionInfo::name) == schedule.options.end())
      throw InputError(
          fmt::format("breakdown: {} is no K-FAC system; expected one of d-kfac, "
                      "mpd-kfac, kaisa, spd-kfac, pad-kfac, dp-kfac",
                      schedule.name));
    if (scenario.settings.schedule.contains("parts"))
      throw InputError("--set parts: breakdown sets it itself");
  }

  std::vector<NamedTime> parts_of(const Scenario& scenario) const {
    const Elapsed elapsed("simulating " + gpus_in_words(scenario.cluster.ranks()));
    return protocol_ == "ablation" ? ablation(scenario) : exposed(scenario);
  }

  static std::vector<NamedTime> exposed(const Scenario& scenario) {
    const Plan plan = planned(scenario, scenario.schedules.front()).plan;
    const Timeline timeline = simulate(plan, scenario.cluster, scenario.engine);
    const ClassId slowest = extremes_of(plan, timeline).slowest;
    return kfac_parts_of(plan, window_of(plan, timeline, slowest, latest_ready_of(plan, timeline)));
  }

  static std::vector<NamedTime> ablation(const Scenario& scenario) {
    std::vector<NamedTime> parts;
    Seconds before{};
    TuningJob job = job_of(scenario, scenario.schedules.front());
    for (const std::string& part : kfac::part_names()) {
      job.options["parts"] = part;
      const Seconds time = step_time_of(planned(job).plan, scenario.cluster, scenario.engine);
      const bool last = part == "all";
      parts.push_back({last ? name_of(KfacPart::InverseCommunication) : part, time - before});
      before = time;
    }
    return parts;
  }

  static std::string text_of(const Scenario& scenario, const std::vector<NamedTime>& parts,
                             const std::vector<std::string>& notes) {
    const std::string heading =
        fmt::format("{}: {}", scenario.schedules.front(),
                    setup_of(scenario.workload.name, scenario.cluster, scenario.engine.fidelity));
    SharedNotes shared;
    shared.add("the whole step", notes);
    return wrap(heading, 2) + "\n" + table_of(parts) + note_on_other(parts) +
           note_on_negative(parts) + shared.text();
  }

  static std::string note_on_other(const std::vector<NamedTime>& parts) {
    return parts.back().name == name_of(KfacPart::Other)
               ? "\npacking: of factors and inverses, and unpacking; other: negotiation, waiting, "
                 "update.\n"
               : "";
  }

  static std::string note_on_negative(const std::vector<NamedTime>& parts) {
    std::vector<std::string> names;
    for (const NamedTime& part : parts)
      if (part.time < Seconds{})
        names.push_back(part.name);
    if (names.empty())
      return "";
    const std::string note =
        fmt::format("{}: below 0, as switching it on ended a wait that was there before.",
                    fmt::join(names, ", "));
    return fmt::format("\n{}", wrap(note, 0));
  }

  static std::string table_of(const std::vector<NamedTime>& parts) {
    Table table{.columns = {{"part", Align::Left}, {"time s"}, {"sum s"}}};
    Seconds sum{};
    for (const NamedTime& part : parts) {
      sum += part.time;
      table.rows.push_back(
          {part.name, fmt::format("{:.4f}", part.time.value), fmt::format("{:.4f}", sum.value)});
    }
    return render(table);
  }

  std::string json_of(const Scenario& scenario, const std::vector<NamedTime>& parts,
                      const std::vector<std::string>& notes) const {
    nlohmann::ordered_json json{{"version", STEPCAST_VERSION},
                                {"workload", scenario.workload.name},
                                {"cluster", scenario.cluster.name},
                                {"gpus", scenario.cluster.ranks()},
                                {"fidelity", name_of(scenario.engine.fidelity)},
                                {"schedule", scenario.schedules.front()},
                                {"protocol", protocol_},
                                {"iteration_time_s", total_of(parts).value}};
    for (const NamedTime& part : parts)
      json["parts_s"][part.name] = part.time.value;
    json["notes"] = notes;
    return json.dump(2) + "\n";
  }

  RunRequest request_;
  std::string protocol_ = "exposed";
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_breakdown_command() {
  return std::make_unique<BreakdownCommand>();
}

}  // namespace stepcast
