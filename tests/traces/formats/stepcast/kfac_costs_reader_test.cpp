#include <string>

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/stepcast/device_costs_reader.hpp"
#include "traces/formats/stepcast/workload_file.hpp"

namespace stepcast {
namespace {

std::string costs_text(const std::string& products, const std::string& inverses) {
  return R"({"format": "stepcast-kfac-costs", "version": 1, "device": "d",
             "provenance": {"kind": "assumed", "source": "s"},
             "products": [)" +
         products + R"(], "product_launch": "1us", "factor_launch": "2us", "unfold_passes": 3,
             "average_passes": 4, "packing_passes": 5, "unpacking_passes": 6, "inverses": [)" +
         inverses + R"(], "inverse_launch": "6us", "inverse_passes": 7,
             "precondition_launch": "8us", "memory_bandwidth": "9GBps"})";
}

constexpr const char* kProduct = R"({"side": 10, "tflops": 2})";
constexpr const char* kInverse = R"({"side": 10, "time_s": 0.5})";

std::string error_of(const std::string& products, const std::string& inverses) {
  return input_error_of([&] { parse_kfac_costs(costs_text(products, inverses), "k.json"); });
}

TEST(KfacCostsReader, ReadsEveryField) {
  const KfacCosts costs = parse_kfac_costs(costs_text(kProduct, kInverse), "k.json");
  EXPECT_EQ(costs.products.front().rate, FlopsPerSecond{2e12});
  EXPECT_EQ(costs.inverses.front().time, Seconds{0.5});
  EXPECT_EQ(costs.unfold_passes, 3);
  EXPECT_EQ(costs.average_passes, 4);
  EXPECT_EQ(costs.packing_passes, 5);
  EXPECT_EQ(costs.unpacking_passes, 6);
  EXPECT_EQ(costs.inverse_passes, 7);
  EXPECT_EQ(costs.memory_bandwidth, BytesPerSecond{9e9});
}

TEST(KfacCostsReader, RefusesPointsThatAreMissingOrOutOfOrder) {
  EXPECT_EQ(error_of("", kInverse), "k.json: /products: expected at least one point, found none");
  EXPECT_EQ(error_of(kProduct, std::string(kInverse) + "," + kInverse),
            "k.json: /inverses/1/side: expected more than 10, the side before, found 10");
  EXPECT_EQ(error_of(R"({"side": 10, "tflops": 0})", kInverse),
            "k.json: /products/0/tflops: expected a number above 0, found 0");
}

TEST(KfacCostsReader, DevicesWithoutAFileHaveNoCosts) {
  EXPECT_TRUE(find_kfac_costs("rtx2080ti").has_value());
  EXPECT_FALSE(find_kfac_costs("no-such-device").has_value());
}

std::string kronecker_error(const std::string& kronecker) {
  const std::string text = R"({"format": "stepcast-workload", "version": 1, "name": "n",
      "model": "m", "device": "d", "batch": 1, "provenance": {"kind": "assumed", "source": "s"},
      "layers": [{"name": "l", "kind": "Linear", "forward_s": 1, "backward_s": 1,
                  "kronecker": )" +
                           kronecker + "}]}";
  return input_error_of([&] { parse_workload(text, "w.json"); });
}

TEST(KroneckerFields, AreWholeNumbersAboveZero) {
  EXPECT_EQ(kronecker_error(R"({"a": 3, "g": 2, "rows": 4})"), "no error");
  EXPECT_NE(kronecker_error(R"({"a": 3, "g": 2})").find("/layers/0/kronecker/rows"),
            std::string::npos);
  EXPECT_NE(kronecker_error(R"({"a": 0, "g": 2, "rows": 4})").find("/kronecker/a"),
            std::string::npos);
  EXPECT_NE(kronecker_error(R"({"a": 3, "g": 2.5, "rows": 4})").find("/kronecker/g"),
            std::string::npos);
  EXPECT_NE(kronecker_error(R"({"a": 3, "g": 2, "rows": 4, "b": 1})").find("\"b\""),
            std::string::npos);
}

}  // namespace
}  // namespace stepcast
