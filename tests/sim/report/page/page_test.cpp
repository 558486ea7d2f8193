#include "sim/report/page/page.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "models/base/error.hpp"
#include "sim/report/page/policy_hash.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

/// Data of its own, with charts that are a comment: those of npm are not always there.
class Page : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("page-" + std::to_string(::getpid()));
    fs::create_directories(root_ / "configs");
    fs::copy(fs::path(STEPCAST_SOURCE_DIR) / "configs/page", root_ / "configs/page");
    std::ofstream(root_ / "configs/page/echarts.min.js") << "/* charts */";
    ::setenv("STEPCAST_DATA", root_.c_str(), 1);
  }
  void TearDown() override {
    fs::remove_all(root_);
    ::unsetenv("STEPCAST_DATA");
  }
  static std::string error_of(const PageSource& result, const PageSource& trace = {}) {
    try {
      page_of(result, trace);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  fs::path root_;
};

TEST_F(Page, HoldsEverythingThatItRefersTo) {
  const std::string page = page_of({"r", R"({"iteration_time_s": 1})"}, {});
  EXPECT_THAT(page, HasSubstr("/* charts */"));
  EXPECT_THAT(page, HasSubstr("id=\"result\">{\"iteration_time_s\":1}</script>"));
  EXPECT_THAT(page, HasSubstr("id=\"timeline\"></script>"));
  EXPECT_THAT(page, Not(HasSubstr(" src=")));
  EXPECT_THAT(page, Not(HasSubstr("stylesheet")));
}

// FIPS 180-4's examples, as `openssl dgst -sha256 -binary | base64` gives them.
TEST(PolicyHash, IsTheSha256OfTheText) {
  if (policy_hash("") == "'unsafe-inline'")
    GTEST_SKIP() << "built without libmd";
  EXPECT_EQ(policy_hash(""), "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
  EXPECT_EQ(policy_hash("abc"), "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='");
}

// A script that a name would have smuggled in was allowed by 'unsafe-inline'.
TEST_F(Page, AllowsItsOwnScriptsAndStylesAlone) {
  if (policy_hash("") == "'unsafe-inline'")
    GTEST_SKIP() << "built without libmd";
  const std::string page = page_of({"r", R"({"iteration_time_s": 1})"}, {});
  const std::size_t begin = page.find("content=\"default-src");
  const std::string policy = page.substr(begin, page.find("\">", begin) - begin);
  EXPECT_THAT(policy, Not(HasSubstr("script-src 'unsafe-inline'")));
  EXPECT_THAT(policy, Not(HasSubstr("style-src 'unsafe-inline'")));
  EXPECT_THAT(policy, HasSubstr(policy_hash("\n/* charts */")));
  std::size_t elements = 0;
  for (const std::string name : {"script", "style"})
    for (std::size_t at = 0; (at = page.find("<" + name + ">", at)) != std::string::npos;) {
      at += name.size() + 2;
      EXPECT_THAT(policy, HasSubstr(policy_hash(page.substr(at, page.find("</" + name, at) - at))));
      ++elements;
    }
  EXPECT_EQ(elements, 12U);  // Eleven scripts, one style.
}

TEST_F(Page, NoNameEndsTheElementOfTheData) {
  const std::string page = page_of({"r", R"({"name": "</script><b>"})"}, {});
  EXPECT_THAT(page, HasSubstr(R"({"name":"\u003c/script>\u003cb>"})"));
}

TEST_F(Page, OfATraceTheSlicesAndTheirNames) {
  const std::string page = page_of(
      {"r", R"({"iteration_time_s": 1})"},
      {"t", R"({"traceEvents": [{"ph": "X", "n": 1}, {"ph": "s", "n": 2}, {"ph": "M", "n": 3}]})"});
  EXPECT_THAT(page, HasSubstr(R"({"traceEvents":[{"n":1,"ph":"X"},{"n":3,"ph":"M"}]})"));
}

TEST_F(Page, OfManyForecastsNoDetails) {
  nlohmann::json many;
  for (int i = 0; i < 101; ++i)
    many["results"].push_back({{"iteration_time_s", 1}, {"critical_path", "long"}});
  EXPECT_THAT(page_of({"r", many.dump()}, {}), Not(HasSubstr("\"long\"")));
  many["results"].erase(0);
  EXPECT_THAT(page_of({"r", many.dump()}, {}), HasSubstr("\"long\""));
}

TEST_F(Page, RefusesWhatIsNoResultOrNoTrace) {
  EXPECT_THAT(error_of({"r.json", "[1]"}), HasSubstr("r.json: expected what a command prints"));
  EXPECT_THAT(error_of({"r.json", "{"}), HasSubstr("r.json: line 1"));
  EXPECT_THAT(error_of({"r.json", R"({"iteration_time_s": 1})"}, {"t.json", "{}"}),
              HasSubstr("t.json: expected a Chrome trace"));
}

TEST_F(Page, SaysWhatToDoWhereTheChartsAreMissing) {
  fs::remove(root_ / "configs/page/echarts.min.js");
  EXPECT_THAT(error_of({"r", "{}"}), HasSubstr("scripts/setup --page"));
}

}  // namespace
}  // namespace stepcast
