#include "sim/cli/study/goodput_advice.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

std::vector<std::string> goodput_of(std::vector<std::string> more) {
  std::vector<std::string> all{"goodput",      "--fail",  "node:mtbf=256d,repair=24h",
                               "--checkpoint", "30s",     "--restart",
                               "10min",        "--seeds", "20"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// It answered for one node and did not say so.
TEST(GoodputAdvice, OneNodeThatNobodyAskedForIsToldOf) {
  const char* told = "This is a job on one node, as nobody said how many it has";
  EXPECT_NE(run_cli(goodput_of({})).out.find(told), std::string::npos);
  EXPECT_NE(run_cli(goodput_of({"--json"})).out.find(told), std::string::npos);
  EXPECT_EQ(run_cli(goodput_of({"--nodes", "1"})).out.find(told), std::string::npos);
}

// "0.4 %, waiting for nodes", without a word of spares. What is told is what they give.
TEST(GoodputAdvice, AJobThatWaitsForNodesIsToldWhatSparesGive) {
  const std::string out = run_cli(goodput_of({"--nodes", "2048"})).out;
  const std::string begin = "With --spares ";
  const std::size_t place = out.find(begin);
  ASSERT_NE(place, std::string::npos) << out;
  const std::size_t number = place + begin.size();
  const std::string spares = out.substr(number, out.find(' ', number) - number);
  const std::string middle = " the efficiency is ";
  const std::size_t share = out.find(middle, number) + middle.size();
  const std::string efficiency = out.substr(share, out.find(" %", share) - share);
  const std::string with = run_cli(goodput_of({"--nodes", "2048", "--spares", spares})).out;
  EXPECT_NE(with.find("efficiency             " + efficiency + " %"), std::string::npos)
      << out << with;
  EXPECT_EQ(with.find("waits for nodes"), std::string::npos) << with;
}

}  // namespace
}  // namespace stepcast
