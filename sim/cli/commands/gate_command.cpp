#include <functional>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/cli/output_file.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/report/text/studies/gate_report.hpp"
#include "sim/study/gate/gate.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

constexpr int kSlower = 4;

/// "2%" or "0.02"; a bare "2" may mean either.
double parse_slowdown(std::string_view text) {
  const bool percent = text.ends_with('%');
  try {
    const double share = parse_number(text);
    if (share >= 0 && share <= 10 && (percent || share < 1))
      return share;
  } catch (const InputError&) {  // said better below
  }
  throw InputError(fmt::format(
      "--max-slowdown: expected a share such as 2% or 0.02, below 1 or with %, to 1000%, found {}",
      in_quotes(text)));
}

/// Stops a change that makes forecasts slower.
class GateCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.description =
                "NEW and OLD are what run --json or compare --json printed. A case that only the "
                "baseline has fails,\ntoo; a new one does not. For a job of a CI system: keep OLD "
                "beside the code.",
            .examples = {"stepcast compare dear-64gpu-10gbe --json > new.json",
                         "stepcast gate new.json --baseline old.json --max-slowdown 2%",
                         "stepcast gate new.json --baseline old.json --markdown gate.md --junit "
                         "gate.xml"}};
  }

  std::vector<CommandOption> options() override {
    return {{"NEW", "", &results_, "results to check"},
            {"--baseline", "OLD", &baseline_, "results to compare them with"},
            {"--max-slowdown", "SHARE", &most_, "how much longer a step may take (default: 2%)"},
            output_option("--markdown", &markdown_, "also write a table for a comment"),
            output_option("--junit", &junit_, "also write JUnit's XML"),
            {"--json", "", &json_, "print JSON"}};
  }

  int run() override {
    if (results_.empty() || baseline_.empty())
      throw InputError(
          "gate: expected results and a baseline: stepcast gate NEW.json --baseline OLD.json");
    const double most = parse_slowdown(most_);
    const Gate gate = compare_results(read_results(baseline_), read_results(results_), most);
    std::vector<std::function<void()>> files;
    if (!markdown_.empty())
      files.emplace_back([&] { write_text_file(markdown_, gate_markdown(gate)); });
    if (!junit_.empty())
      files.emplace_back([&] { write_text_file(junit_, gate_junit(gate)); });
    print_then_write(json_ ? gate_json(gate) : render_gate(gate), files);
    return gate.passed() ? 0 : kSlower;
  }

 private:
  std::string results_;
  std::string baseline_;
  std::string most_ = "2%";
  std::string markdown_;
  std::string junit_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_gate_command() {
  return std::make_unique<GateCommand>();
}

}  // namespace stepcast
