#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json result(const std::string& schedule, double time, const json& options = json::object()) {
  return {{"workload", "w"},
          {"cluster", "c"},
          {"nodes", 2},
          {"gpus_per_node", 4},
          {"batch", 8},
          {"fidelity", "flow"},
          {"schedule", {{"name", schedule}, {"options", options}}},
          {"iteration_time_s", time}};
}

class GateCommand : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.file(name)) << text;
    return folder_.file(name);
  }
  std::string write(const std::string& name, const std::vector<json>& results) const {
    return write(name, json{{"results", results}}.dump());
  }
  std::string read(const std::string& name) const {
    std::ifstream file(folder_.file(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Outcome gate(const std::vector<json>& before, const std::vector<json>& now,
               const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"gate", write("new.json", now), "--baseline",
                                   write("old.json", before)};
    words.insert(words.end(), more.begin(), more.end());
    return run_cli(words);
  }
  std::string refusal(const std::vector<json>& before, const std::vector<json>& now,
                      const std::vector<std::string>& more = {}) const {
    const Outcome outcome = gate(before, now, more);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  }

  TemporaryFolder folder_;
};

TEST_F(GateCommand, PassesUpToTheSlowdownAllowedAndFailsAbove) {
  EXPECT_EQ(gate({result("dear", 1)}, {result("dear", 1.019)}).exit_code, 0);
  EXPECT_EQ(gate({result("dear", 1)}, {result("dear", 1.021)}).exit_code, 4);
  EXPECT_EQ(gate({result("dear", 1)}, {result("dear", 1.04)}, {"--max-slowdown", "5%"}).exit_code,
            0);
  EXPECT_EQ(gate({result("dear", 1)}, {result("dear", 1.04)}, {"--max-slowdown", ".03"}).exit_code,
            4);
  EXPECT_EQ(gate({result("dear", 1)}, {result("dear", 0.5)}, {"--max-slowdown", "0"}).exit_code, 0);
}

TEST_F(GateCommand, AnOptionThatChangedIsTheSameCase) {
  const Outcome outcome = gate({result("dear", 1, {{"fusion_buffer", "25MiB"}})},
                               {result("dear", 2, {{"fusion_buffer", "1MiB"}})}, {"--json"});
  EXPECT_EQ(outcome.exit_code, 4);
  const json parsed = json::parse(outcome.out);
  EXPECT_FALSE(parsed["passed"]);
  ASSERT_EQ(parsed["cases"].size(), 1U);
  EXPECT_EQ(parsed["cases"][0]["outcome"], "slower");
  EXPECT_DOUBLE_EQ(parsed["cases"][0]["change"], 1);
}

TEST_F(GateCommand, OptionsTellResultsOfOneScheduleApart) {
  const std::vector<json> both{result("dear", 1, {{"fusion_buffer", "1MiB"}}),
                               result("dear", 2, {{"fusion_buffer", "2MiB"}})};
  EXPECT_EQ(gate(both, {both[1], both[0]}).exit_code, 0);
  EXPECT_THAT(refusal({both[0], both[0]}, both), HasSubstr("told apart"));
}

TEST_F(GateCommand, AMissingCaseFailsAndANewOneDoesNot) {
  const Outcome missing = gate({result("dear", 1), result("ddp", 1)}, {result("dear", 1)});
  EXPECT_EQ(missing.exit_code, 4);
  EXPECT_THAT(missing.out, HasSubstr("1 missing"));
  const Outcome added = gate({result("dear", 1)}, {result("dear", 1), result("ddp", 1)});
  EXPECT_EQ(added.exit_code, 0);
  EXPECT_THAT(added.out, HasSubstr("1 new"));
}

TEST_F(GateCommand, WritesMarkdownAndJUnitWithTextsThatCannotBreakThem) {
  json hostile = result("dear", 1);
  hostile["workload"] = "<b>&\"|x\n|y\x01";
  json slow = hostile;
  slow["iteration_time_s"] = 2;
  const Outcome outcome = gate(
      {hostile}, {slow}, {"--markdown", folder_.file("g.md"), "--junit", folder_.file("g.xml")});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(read("g.md"), HasSubstr("&lt;b>&amp;\"\\|x \\|y?"));
  EXPECT_THAT(read("g.xml"), HasSubstr("tests=\"1\" failures=\"1\""));
  EXPECT_THAT(outcome.out, HasSubstr("<b>&\"|x"));
}

TEST_F(GateCommand, RefusesWhatCannotBeCompared) {
  const std::vector<json> one{result("dear", 1)};
  EXPECT_THAT(refusal(one, {result("ddp", 1)}), HasSubstr("a case that both files have"));
  EXPECT_THAT(refusal(one, {}), HasSubstr("expected at least one, found none"));
  EXPECT_THAT(refusal({result("dear", 0)}, one),
              HasSubstr("iteration_time_s: expected a time above 0"));
  EXPECT_THAT(refusal({result("dear", -1)}, one), HasSubstr("iteration_time_s"));
  for (const char* share : {"-1%", "two", "nan", "5000%", ""})
    EXPECT_THAT(refusal(one, one, {"--max-slowdown", share}), HasSubstr("--max-slowdown")) << share;
  EXPECT_THAT(refusal(one, one, {"--junit", "/no/such/folder/g.xml"}),
              HasSubstr("/no/such/folder"));
  const std::string list = write("list.json", "[1]");
  const Outcome wrong = run_cli({"gate", list, "--baseline", list});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("run --json"));
  EXPECT_EQ(run_cli({"gate", list}).exit_code, 2);
}

TEST_F(GateCommand, CompareSaysWhatChangedAgainstEarlierResults) {
  const std::vector<std::string> compare{"compare",   "--workload", "resnet50-rtx2080ti-bs64",
                                         "--cluster", "ideal-2x2",  "--schedules",
                                         "ddp,dear",  "--fidelity", "analytic"};
  std::vector<std::string> first = compare;
  first.emplace_back("--json");
  const std::string old = write("old.json", run_cli(first).out);
  std::vector<std::string> second = compare;
  second.insert(second.end(), {"--against", old});
  const Outcome outcome = run_cli(second);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Passed: 0 of 2 cases"));
}

}  // namespace
}  // namespace stepcast
