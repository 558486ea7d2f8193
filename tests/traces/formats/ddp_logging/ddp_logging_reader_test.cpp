#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "traces/formats/recognition/recognised_file.hpp"

namespace stepcast {
namespace {

TraceSummary inspect(const std::string& text) {
  ImportReport report;
  return ddp_logging_reader().inspect({text_stream(text, "d.json")}, {}, report);
}

std::string error_of(const std::string& text) {
  return input_error_of([&] { inspect(text); });
}

TEST(DdpLoggingReader, RebuiltBucketsCountWhereThereAreAny) {
  const TraceSummary summary =
      inspect(R"({"bucket_sizes": "10", "rebuilt_bucket_sizes": "1048576, 300"})");
  ASSERT_EQ(summary.collectives.size(), 2U);
  EXPECT_EQ(summary.collectives[0].size, Bytes{1048576});
  EXPECT_EQ(summary.collectives[1].size, Bytes{300});
  EXPECT_EQ(inspect(R"({"bucket_sizes": "10", "rebuilt_bucket_sizes": ""})").collectives.size(),
            1U);
}

TEST(DdpLoggingReader, BadInputIsNamed) {
  EXPECT_EQ(error_of(R"({"bucket_sizes": 3})"),
            "d.json: /bucket_sizes: expected sizes in bytes such as \"1048576, 26214400\"");
  EXPECT_EQ(error_of(R"({"bucket_sizes": ""})"),
            "d.json: /bucket_sizes: expected the sizes of the gradient buckets");
  EXPECT_NE(error_of(R"({"bucket_sizes": "3, x"})").find("d.json: /bucket_sizes: "),
            std::string::npos);
  EXPECT_NE(input_error_of([] {
              ImportReport report;
              ddp_logging_reader().read({text_stream("{}", "d.json")}, {}, report);
            }).find("holds no times"),
            std::string::npos);
}

}  // namespace
}  // namespace stepcast
