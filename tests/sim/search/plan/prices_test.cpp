#include "sim/search/plan/prices.hpp"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "sim/search/plan/checked_errors.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

/// What reading a list of this one entry refuses.
std::string fault_of(const std::string& entry, const std::string& date = "2026-01") {
  const std::string path = testing::TempDir() + "prices.json";
  std::ofstream(path) << R"({"format": "stepcast-prices", "version": 1, "name": "mine", )"
                      << R"("currency": "EUR", "date": ")" << date << R"(", "provenance": )"
                      << R"({"kind": "assumed", "source": "a test"}, "prices": [)" << entry << "]}";
  try {
    read_prices(path);
    return "";
  } catch (const InputError& error) {
    return std::string(error.what()).substr(path.size() + 2);
  }
}

TEST(Prices, HostileOnesAreOneLineEach) {
  EXPECT_EQ(fault_of(R"({"device": "a100", "gpu_hour": 2})"), "");
  EXPECT_EQ(fault_of(R"({"device": "a100", "gpu_hour": 0})"),
            "/prices/0/gpu_hour: expected a price above 0, found 0; leave out networks and "
            "storage that are not charged for, and give of GPUs or nodes what they cost you");
  EXPECT_EQ(fault_of(R"({"device": "a100", "gpu_hour": 1}, {"device": "a100", "gpu_hour": 2})"),
            "/prices: expected one price of \"a100\", found two");
  EXPECT_NE(fault_of(R"({"device": "a100", "gpu_hour": -2})").find("/prices/0/gpu_hour"),
            std::string::npos);
  EXPECT_NE(fault_of(R"({"device": "a100", "gpu_hour": "2"})").find("/prices/0/gpu_hour"),
            std::string::npos);
  EXPECT_EQ(fault_of(R"({"device": "a100"})"),
            "/prices/0/gpu_hour: missing; expected a price of a GPU, or node_hour, of a node");
  EXPECT_EQ(fault_of(R"({"gpu_hour": 2})"),
            "/prices/0/cluster: expected one of cluster and device, which the price is of");
  EXPECT_EQ(fault_of(""), "/prices: expected at least one price, found none");
  EXPECT_EQ(fault_of(R"({"device": "a100", "gpu_hour": 2})", "last year"),
            "/date: expected a month such as \"2025-06\", or a day, found \"last year\"");
}

// 8 GPUs at 2, 2 nodes at 3 + 1, storage at 5: 16 + 8 + 5.
TEST(Prices, AnHourIsThatOfGpusNodesNetworkAndStorage) {
  Cluster cluster = examples::plain_cluster(2, 4);
  cluster.device.name = "a100";
  const PriceList list{
      .name = "mine",
      .prices = {{.device = "a100", .gpu = 1},
                 {.cluster = "plain", .gpu = 2, .node = 3, .network = 1, .storage = 5}}};
  EXPECT_EQ(hourly_cost(list, cluster), 29);
  cluster.name = "other";
  EXPECT_EQ(hourly_cost(list, cluster), 8);
  cluster.device.name = "b200";
  EXPECT_EQ(hourly_cost(list, cluster), std::nullopt);
}

TEST(Prices, AnUnknownListNamesTheShippedOnes) {
  ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 1);
  try {
    load_prices("rented-2042");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "`prices`: unknown list \"rented-2042\"; expected rented-2024 or a .json file; "
                 "did you mean \"rented-2024\"?");
  }
}

// A half of the cases took at most as long as forecast, all at most twice as long.
TEST(CheckedErrors, TheChanceIsTheShareOfCasesWithin) {
  const CheckedErrors errors{
      .family = "x", .cases = 4, .shares = {0, 0.5, 1}, .ratios = {0.5, 1, 2}};
  EXPECT_EQ(chance_within(errors, 0.4), 0);
  EXPECT_EQ(chance_within(errors, 1), 0.5);
  EXPECT_EQ(chance_within(errors, 1.5), 0.75);
  EXPECT_EQ(chance_within(errors, 3), 1);
}

TEST(CheckedErrors, AreShippedForBothFamilies) {
  ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 1);
  const auto all = load_checked_errors();
  ASSERT_EQ(all.size(), 2U);
  for (const CheckedErrors& errors : all) {
    EXPECT_GT(errors.cases, 50U);
    EXPECT_GT(chance_within(errors, 1.3), 0.9);
    EXPECT_LT(chance_within(errors, 0.8), 0.1);
  }
}

}  // namespace
}  // namespace stepcast
