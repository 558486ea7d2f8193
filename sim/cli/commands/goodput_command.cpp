#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/report/text/facts.hpp"
#include "sim/report/text/wording.hpp"
#include "sim/study/goodput/fault_file.hpp"
#include "sim/study/goodput/goodput.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr Seconds kLeastInterval{1e-3};
constexpr std::uint32_t kMostSeeds = 100'000;

// What lasts longer than two hours is told in hours.
std::string long_time(Seconds time) {
  constexpr double kHour = 3600;
  return time.value < 2 * kHour ? format_seconds(time)
                                : fmt::format("{:.1f} h", time.value / kHour);
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

Json band_json(const FaultBand& band) {
  return {{"low", band.low}, {"high", band.high}};
}

/// How much of the time of a long run is work that stays done.
class GoodputCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {
        .name = "goodput",
        .summary = "Faults and checkpoints: how much of a long run stays done",
        .description =
            "Goes through faults seed by seed; beside it stands Young and Daly's formula. With\n"
            "--faults a job runs on servers drawn from a recorded fleet.",
        .examples = {"stepcast goodput --mtbf 3.1h --checkpoint 30s --restart 10min",
                     "stepcast goodput --faults faults.csv --servers 400 --nodes 128 --spares "
                     "4\n      --checkpoint 30s --restart 10min"}};
  }

  std::vector<CommandOption> options() override {
    return {{"--mtbf", "T", &mtbf_, "mean time between faults of the job, such as 3.1h"},
            {"--faults", "FILE", &faults_,
             "in its place recorded faults: CSV with start_day, end_day, server"},
            {"--servers", "N", &servers_, "of the recorded fleet, with those that never failed"},
            {"--days", "D", &days_, "length of the record (default: until its last fault)"},
            {"--nodes", "N", &nodes_, "servers that the job holds (with --faults; default 1)"},
            {"--spares", "N", &spares_, "servers that stand by (with --faults; default none)"},
            {"--checkpoint", "T", &checkpoint_, "for which the job stands still"},
            {"--restart", "T", &restart_, "from a fault until it computes: detect, replace, load"},
            {"--interval", "T|auto", &interval_,
             "of work between checkpoints (default auto: the best)"},
            {"--without-spare", "WORD", &policy_,
             "wait for a repair (the default) or shrink to the nodes left"},
            {"--length", "T", &length_, "of a run with --mtbf (default 720h)"},
            {"--seeds", "N", &seeds_, "runs with faults of their own (default 200)"},
            {"--json", "", &json_, "print JSON"}};
  }

  int run() override {
    const GoodputRequest request = resolved();
    const Goodput goodput = find_goodput(request);
    const std::vector<std::string> warnings = warnings_of(request, goodput);
    fmt::print("{}",
               json_ ? to_json(request, goodput, warnings) : to_text(request, goodput, warnings));
    return 0;
  }

 private:
  GoodputRequest resolved() const {
    if (mtbf_.has_value() == !faults_.empty())
      throw InputError("give one of --mtbf and --faults");
    if (!checkpoint_ || !restart_)
      throw InputError(
          fmt::format("no {} given, such as 30s", checkpoint_ ? "--restart" : "--checkpoint"));
    if (mtbf_ && (servers_ || days_ || nodes_ || spares_))
      throw InputError("--servers, --days, --nodes and --spares need --faults");
    if (mtbf_ && !policy_.empty())
      throw InputError("--without-spare needs --faults");
    if (!mtbf_ && length_)
      throw InputError("--length needs --mtbf: with --faults a run is as long as the record");
    GoodputRequest request{.costs = {*checkpoint_, *restart_}};
    if (mtbf_)
      request.mtbf = *mtbf_;
    else
      request.fleet = read_fleet(faults_, servers_, days_);
    request.nodes = nodes_.value_or(1);
    request.spares = spares_.value_or(0);
    request.seeds = seeds_.value_or(request.seeds);
    if (request.seeds > kMostSeeds)
      throw InputError(
          fmt::format("--seeds: expected at most {}, found {}", kMostSeeds, request.seeds));
    request.length = length_.value_or(request.length);
    if (!interval_.empty() && interval_ != "auto")
      request.interval = interval_of(interval_);
    if (!policy_.empty() && policy_ != "wait" && policy_ != "shrink")
      throw InputError(
          fmt::format("--without-spare: expected wait or shrink, found {}", in_quotes(policy_)));
    request.policy = policy_ == "shrink" ? LossPolicy::Shrink : LossPolicy::Wait;
    return request;
  }

  static Seconds interval_of(const std::string& text) {
    try {
      const Seconds interval = parse_seconds(text);
      if (interval >= kLeastInterval)
        return interval;
    } catch (const InputError& error) {
      throw InputError(fmt::format("--interval: {} (or auto)", error.what()));
    }
    throw InputError(fmt::format("--interval: expected at least {}, or auto, found {}",
                                 format_seconds(kLeastInterval), in_quotes(text)));
  }

  static std::string to_text(const GoodputRequest& request, const Goodput& goodput,
                             const std::vector<std::string>& warnings) {
    const JobLife& shares = goodput.shares;
    Facts facts{{"runs", fmt::format("{} seeds of {}", request.seeds, long_time(goodput.length))},
                {"between faults", long_time(goodput.mtbf)},
                {"interval", long_time(goodput.interval)},
                {"efficiency", fmt::format("{} (P5 {}, P95 {})", percent(goodput.efficiency),
                                           percent(goodput.p5), percent(goodput.p95))},
                {"checkpoints", percent(shares.checkpoints)},
                {"lost", percent(shares.lost)},
                {"restarting", percent(shares.restarting)},
                {"waiting for nodes", percent(shares.waiting)},
                {"faults in a run", fmt::format("{:.1f}", goodput.faults)},
                {"Young-Daly interval", long_time(goodput.daly_interval)},
                {"Young-Daly efficiency", percent(goodput.daly_efficiency)}};
    std::string text = render(facts);
    if (goodput.outlook)
      text += list_of("Outlook", sentences_on(*goodput.outlook));
    return text + list_of("Warnings", warnings);
  }

  static std::string to_json(const GoodputRequest& request, const Goodput& goodput,
                             const std::vector<std::string>& warnings) {
    const JobLife& shares = goodput.shares;
    Json json{{"version", STEPCAST_VERSION},
              {"interval_s", goodput.interval.value},
              {"efficiency", goodput.efficiency},
              {"efficiency_p5", goodput.p5},
              {"efficiency_p95", goodput.p95},
              {"shares",
               {{"checkpoints", shares.checkpoints},
                {"lost", shares.lost},
                {"restarting", shares.restarting},
                {"waiting", shares.waiting}}},
              {"mtbf_s", goodput.mtbf.value},
              {"faults", goodput.faults},
              {"length_s", goodput.length.value},
              {"seeds", request.seeds},
              {"daly_interval_s", goodput.daly_interval.value},
              {"daly_efficiency", goodput.daly_efficiency}};
    if (goodput.outlook)
      json["outlook"] = {{"faults", goodput.outlook->faults},
                         {"dispersion", goodput.outlook->dispersion},
                         {"poisson", band_json(goodput.outlook->poisson)},
                         {"bursts", band_json(goodput.outlook->bursts)},
                         {"trust", goodput.outlook->trust_bursts ? "bursts" : "poisson"}};
    json["warnings"] = warnings;
    return json.dump(2) + "\n";
  }

  std::optional<Seconds> mtbf_, checkpoint_, restart_, length_;
  std::optional<std::uint32_t> servers_, nodes_, spares_, seeds_;
  std::optional<double> days_;
  std::string faults_, interval_, policy_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_goodput_command() {
  return std::make_unique<GoodputCommand>();
}

}  // namespace stepcast
