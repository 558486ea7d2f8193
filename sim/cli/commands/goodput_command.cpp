#include <functional>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/cli/checks/given_options.hpp"
#include "sim/cli/output/figure_file.hpp"
#include "sim/cli/output/study_output.hpp"
#include "sim/cli/output_file.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_request.hpp"
#include "sim/cli/study/goodput_advice.hpp"
#include "sim/cli/study/typed_goodput.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/report/json/goodput_json.hpp"
#include "sim/report/picture/figures.hpp"
#include "sim/report/text/studies/goodput_report.hpp"
#include "sim/study/goodput/fault_file.hpp"
#include "sim/study/goodput/goodput_study.hpp"
#include "sim/workers/stop.hpp"
#include "sim/workers/workers.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

constexpr std::uint32_t kMostNodes = 1'000'000;
constexpr const char* kExample =
    "stepcast goodput --fail node:mtbf=220d,repair=24h --workload resnet50-rtx2080ti-bs64\n      "
    "--cluster rtx2080ti-16x4-10gbe --schedule ddp --policy shrink --samples 1e9\n      "
    "--checkpoint 30s --restart 10min";

/// How much of the time of a long run is work that stays done.
class GoodputCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {
        .description =
            "Goes through faults seed by seed; beside it stands Young and Daly's formula. What "
            "fails:\n--mtbf (the job as a whole), --faults (servers drawn from a recorded fleet) "
            "or --fail (nodes,\nswitches, links). With a workload, cluster and schedule, steps are "
            "forecast at every size\nthat the job comes to, and hours and cost are told.",
        .examples = {"stepcast goodput --mtbf 3.1h --checkpoint 30s --restart 10min",
                     "stepcast goodput --faults faults.csv --servers 400 --nodes 128 --spares "
                     "auto\n      --checkpoint 30s --restart 10min --figure month.svg",
                     kExample}};
  }

  std::vector<CommandOption> options() override {
    std::vector<CommandOption> options{
        {"--mtbf", "T", &mtbf_, "mean time between faults of the job, such as 3.1h"},
        {"--faults", "FILE", &faults_,
         "in its place recorded faults: CSV with start_day, end_day, server"},
        {"--servers", "N", &servers_, "of the recorded fleet, with those that never failed"},
        {"--days", "D", &days_, "length of the record (default: until its last fault)"},
        {"--fitted", "", &fitted_, "faults by a model fitted to the record, not the record"},
        {"--fail", "LAW", &fail_,
         "in its place what fails, may be repeated: node:mtbf=220d,repair=24h\n(also frailty=, "
         "sigma=) switch:nodes=16,mtbf=3000d,repair=4h\nlink:mtbf=1000d,share=0.5,repair=6h (keeps "
         "a share of its bandwidth)"},
        {"--spares", "N|auto", &spares_, "nodes that stand by (default 0); auto: as many as pay"},
        {"--checkpoint", "T", &checkpoint_, "for which the job stands still"},
        {"--persist", "T", &persist_,
         "until a checkpoint is stored, beside the work (default: at once)"},
        {"--restart", "T", &restart_, "from a fault until it computes: detect, replace, load"},
        {"--reconfigure", "T", &reconfigure_,
         "going on with another number of nodes (default: as --restart)"},
        {"--interval", "T|auto", &interval_,
         "of work between checkpoints (default auto: the best)"},
        {"--policy", "WORD", &policy_,
         "when a node fails: restart (the default; with a spare, else wait for a\nrepair), wait "
         "(for this node), shrink (to the nodes left),\ndrop (a replica, without going back) or "
         "redo "
         "(it comes back at once)"},
        {"--length", "T", &length_, "of a run (default 720h; with --faults that of the record)"},
        {"--seeds", "N|auto", &seeds_,
         "runs with faults of their own (default 200); auto: until quantiles are\nknown to 1 %"},
        {"--samples", "N", &samples_, "also hours to train on so many (needs a workload)"},
        {"--price", "P", &price_, "of a GPU an hour: also the cost of these samples"},
        figure_.option("the run day by day")};
    for (CommandOption& option :
         options_of(request_, {"--schedule", "S", &request_.schedule, "what the job trains by"}))
      options.push_back(std::move(option));
    options.push_back(
        {"--slow", "LAW", &slow_, "slow-downs of its steps (see stepcast run --help)"});
    options.push_back({"--json", "", &json_, "print JSON"});
    return options;
  }

  int run() override {
    figure_.check();
    const GoodputQuestion question = resolved();
    const StopsBetweenJobs stops;
    const GoodputAnswer answer = [&] {
      const Progress progress("going through faults");
      GoodputAnswer found = answer_to(question);
      add_advice(found);
      return found;
    }();
    std::vector<std::function<void()>> files;
    if (figure_.is_wanted())
      files.emplace_back([&] { figure_.write(goodput_svg(answer.goodput)); });
    print_then_write(json_ ? goodput_json(answer) : render_goodput(answer), files);
    return end_of_study(fmt::format("{} seeds are there", answer.goodput.seeds));
  }

 private:
  bool trains() const { return !request_.workload.empty() || !request_.experiment.empty(); }

  GoodputQuestion resolved() const {
    check_sources();
    if (!checkpoint_ || !restart_)
      throw InputError(
          fmt::format("no {} given, such as 30s", checkpoint_ ? "--restart" : "--checkpoint"));
    GoodputQuestion question{
        .request = {.costs = {.checkpoint = *checkpoint_,
                              .restart = *restart_,
                              .persist = persist_.value_or(Seconds{}),
                              .reconfigure = reconfigure_.value_or(*restart_)}}};
    add_training(question);
    add_faults(question);
    GoodputRequest& request = question.request;
    request.interval = interval_of(interval_);
    request.seeds = goodput_seeds_of(seeds_);
    request.policy = policy_of(policy_);
    if (figure_.is_wanted())
      request.bins = 30;
    return question;
  }

  void check_sources() const {
    if ((mtbf_ ? 1 : 0) + (faults_.empty() ? 0 : 1) + (fail_.empty() ? 0 : 1) != 1)
      throw InputError("give one of --mtbf, --faults and --fail");
    if (faults_.empty())
      refuse_given("expected --faults beside it", {{"--servers", servers_.has_value()},
                                                   {"--days", days_.has_value()},
                                                   {"--fitted", fitted_}});
    if (mtbf_)
      refuse_given("expected --faults or --fail in place of --mtbf",
                   {{"--spares", !spares_.empty()}, {"--policy", !policy_.empty()}});
    if (mtbf_ && request_.nodes && !trains())
      throw InputError("--nodes: expected --faults, --fail or a workload beside it");
    if (!faults_.empty() && !fitted_ && length_)
      throw InputError(
          "--length: with --faults a run is as long as the record, unless it is --fitted");
    if ((samples_ || !slow_.empty()) && !trains())
      throw InputError(fmt::format("{}: name what is trained: --workload, --cluster and --schedule",
                                   samples_ ? "--samples" : "--slow"));
    if (price_ && !samples_)
      throw InputError("--price: needs --samples, whose cost it is");
    for (const auto& [name, value] : {std::pair{"--samples", samples_}, {"--price", price_}})
      if (value && !(*value > 0 && *value <= 1e18))
        throw InputError(
            fmt::format("{}: expected a number above 0 and at most 1e18, found {}", name, *value));
  }

  void add_training(GoodputQuestion& question) const {
    question.request.nodes = request_.nodes.value_or(1);
    question.nodes_given = request_.nodes.has_value() || trains();
    if (question.request.nodes > kMostNodes)
      throw InputError(fmt::format("--nodes: expected at most {}, found {}", kMostNodes,
                                   question.request.nodes));
    question.samples = samples_.value_or(0);
    question.price = price_.value_or(0);
    if (!trains())
      return;
    Scenario scenario = resolve_one_schedule(request_, kExample);
    add_chance(scenario, slow_, 0, {.workers = available_cores()});
    const Settings settings = scenario.settings;
    scenario = changed(std::move(scenario), settings);
    question.training = training_forecast(scenario);
    question.request.speed = question.training->speed;
    question.request.nodes = scenario.cluster.nodes;
    question.caveats = scenario.cluster.provenance.caveats;
  }

  void add_faults(GoodputQuestion& question) const {
    GoodputRequest& request = question.request;
    request.mtbf = mtbf_.value_or(Seconds{});
    request.length = length_.value_or(request.length);
    request.fitted = fitted_;
    if (!faults_.empty())
      request.fleet = read_fleet(faults_, servers_, days_);
    for (const std::string& law : fail_)
      try {
        if (!request.sources)
          request.sources.emplace();
        add_fault_source(*request.sources, law);
      } catch (const InputError& error) {
        throw InputError(fmt::format("--fail {}: {}", law, error.what()));
      }
    question.choose_spares = spares_ == "auto";
    request.spares = spares_of(spares_);
  }

  std::optional<Seconds> mtbf_, checkpoint_, persist_, restart_, reconfigure_, length_;
  std::optional<std::uint32_t> servers_;
  std::optional<double> days_, samples_, price_;
  std::string faults_, spares_, interval_, policy_, seeds_;
  FigureFile figure_;
  std::vector<std::string> fail_, slow_;
  RunRequest request_;
  bool fitted_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_goodput_command() {
  return std::make_unique<GoodputCommand>();
}

}  // namespace stepcast
