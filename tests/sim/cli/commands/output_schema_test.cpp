// GCC 12 sees an overlap inside std::string::replace that is not there.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wrestrict"
#endif

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "sim/cli/subcommand.hpp"
#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

using nlohmann::json;
using Adapter = valijson::adapters::NlohmannJsonAdapter;
using Words = std::vector<std::string>;

const std::string kRoot = STEPCAST_SOURCE_DIR;

/// What the printed schema says against a document; "" if it fits.
std::string faults(const std::string& schema_name, const json& document) {
  const json schema_json = json::parse(run_cli({"schema", schema_name}).out);
  valijson::Schema schema;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(Adapter(schema_json), schema);
  valijson::ValidationResults results;
  if (valijson::Validator().validate(schema, Adapter(document), &results))
    return "";
  std::string text = "refused";
  for (const auto& error : results) {
    text += "\n";
    for (const std::string& place : error.context)
      text += place;
    text += ": " + error.description;
  }
  return text;
}

/// The words after `first` that several commands take.
Words with(Words first, const Words& more) {
  first.insert(first.end(), more.begin(), more.end());
  first.emplace_back("--json");
  return first;
}

const Words kJob{"--workload", "resnet50-rtx2080ti-bs32",
                 "--cluster",  "rtx2080ti-16x4-10gbe",
                 "--fidelity", "analytic"};

const Words kSaving{"--checkpoint", "30s", "--restart", "10min"};

/// One command line at least for every command, more where the output has several forms.
std::vector<Words> commands() {
  const std::string trace = kRoot + "/tests/golden/data/small-trace.json";
  const std::string logs = kRoot + "/tests/data/benchmarks/allreduce-";
  return {
      with({"run", "--schedule", "spd-kfac"}, kJob),
      with({"run", "--schedule", "topka2a", "--set", "straggler.3=1.5"}, kJob),
      with({"run", "--schedule", "hop", "--slow", "lognormal:sigma=0.1", "--seeds", "80"}, kJob),
      with({"compare", "--schedules", "ddp,dear"}, kJob),
      with({"compare", "--schedules", "ddp,dear", "--nodes", "2,4"}, kJob),
      with({"tune", "--schedule", "dear", "--option", "fusion_buffer", "--trials", "2"}, kJob),
      with({"crossover", "--density", "0.01,0.1", "--bandwidth", "10Gbps"}, kJob),
      with({"breakdown", "--schedule", "dp-kfac", "--protocol", "ablation"}, kJob),
      with({"scaling", "--schedules", "ddp", "--nodes", "1,2"}, kJob),
      with({"solve", "--iterations", "ddp=100,dear=100"}, kJob),
      with({"solve", "resnet50-imagenet", "--schedules", "horovod"}, kJob),
      with({"collective", "--cluster", "ideal-2x4", "--kind", "send"}, {}),
      with({"collective", "--cluster", "ideal-2x4", "--size", "1MiB"}, {}),
      with({"goodput", "--mtbf", "3h"}, kSaving),
      with({"goodput", "--faults", kRoot + "/tests/golden/data/faults.csv"}, kSaving),
      with({"goodput", "--fail", "link:mtbf=50d,share=0.5,repair=6h", "--schedule", "ddp",
            "--spares", "auto", "--samples", "1e9", "--price", "2", "--seeds", "80", "--checkpoint",
            "30s", "--restart", "10min"},
           kJob),
      with({"optimise"}, kJob),
      with({"list"}, {}),
      with({"show", "dear"}, {}),
      with({"show", "rtx2080ti-16x4-10gbe"}, {}),
      with({"explain", "busbw"}, {}),
      with({"validate", "--fidelity", "analytic"}, {}),
      with({"validate", kRoot + "/tests/data/hardware/madeup-kernels.json"}, {}),
      with({"inspect", trace}, {}),
      with({"diagnose", kRoot + "/tests/golden/data/job.csv"}, {}),
      with({"diagnose", kRoot + "/tests/golden/data/ranks", "--against",
            kRoot + "/tests/golden/data/ranks"},
           {}),
      with({"replay", trace}, {}),
      with({"replay", trace, "--without", "all-reduce"}, {}),
      with({"calibrate", logs + "2-nodes.log", logs + "4-nodes.log", logs + "8-nodes.log"}, {}),
      with({"version"}, {}),
      with({"gate", kRoot + "/tests/golden/data/results-before.json", "--baseline",
            kRoot + "/tests/golden/data/results-before.json"},
           {}),
  };
}

class OutputSchema : public testing::TestWithParam<Words> {};

TEST_P(OutputSchema, DescribesWhatTheCommandPrints) {
  const Outcome outcome = run_cli(GetParam());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(faults(GetParam().front(), json::parse(outcome.out)), "");
}

std::string case_name(const testing::TestParamInfo<Words>& info) {
  return info.param.front() + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(, OutputSchema, testing::ValuesIn(commands()), case_name);

TEST(OutputSchemas, DescribeWhatTheDemoPrints) {
  const TemporaryFolder folder;
  const Outcome outcome = run_cli({"demo", "--json", "--timeline", folder.file("t.json")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(faults("demo", json::parse(outcome.out)), "");
}

TEST(OutputSchemas, EveryCommandThatPrintsJsonHasOneAndIsTested) {
  const Words names = lines_of(run_cli({"schema"}).out);
  Words tested{"demo"};
  for (const Words& command : commands())
    tested.push_back(command.front());
  for (const auto& command : all_subcommands()) {
    const auto options = command->options();
    if (std::ranges::find(options, "--json", &CommandOption::name) == options.end())
      continue;
    const std::string name = command->help().name;
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
    EXPECT_NE(std::ranges::find(tested, name), tested.end()) << name;
  }
}

TEST(OutputSchemas, RefuseAnotherOutput) {
  const json forecast = json::parse(run_cli(with({"run", "--schedule", "dear"}, kJob)).out);
  ASSERT_EQ(faults("run", forecast), "");
  for (const char* change :
       {R"({"iteration_time_s": null})", R"({"iteration_time_s": "1 s"})", R"({"gpus": 0})",
        R"({"new_key": 1})", R"({"breakdown": {"forward_s": -1}})", R"({"notes": "one"})"}) {
    json changed = forecast;
    changed.merge_patch(json::parse(change));
    EXPECT_NE(faults("run", changed), "") << change;
    EXPECT_NE(faults("compare", {{"results", {changed}}}), "") << change;
  }
}

TEST(OutputSchemas, ArePrintedWhole) {
  EXPECT_EQ(run_cli({"schema", "demo"}).out.find(".schema.json\""), std::string::npos);
  EXPECT_EQ(json::parse(run_cli({"schema", "demo"}).out)["definitions"].size(), 3U);
}

}  // namespace
}  // namespace stepcast
