#include "models/base/text.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "models/base/numbers.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

TEST(ParseSeconds, KnowsEveryUnit) {
  EXPECT_DOUBLE_EQ(parse_seconds("3ns").value, 3e-9);
  EXPECT_DOUBLE_EQ(parse_seconds("14.5us").value, 14.5e-6);
  EXPECT_DOUBLE_EQ(parse_seconds("252.9ms").value, 0.2529);
  EXPECT_DOUBLE_EQ(parse_seconds("1s").value, 1);
  EXPECT_DOUBLE_EQ(parse_seconds("2m").value, 120);
  EXPECT_DOUBLE_EQ(parse_seconds("0.5h").value, 1800);
  EXPECT_DOUBLE_EQ(parse_seconds("0s").value, 0);
}

TEST(ParseSeconds, SaysWhatWasExpectedAndFound) {
  EXPECT_EQ(input_error_of([] { parse_seconds("2 parsecs"); }),
            "expected a time such as \"2us\", found \"2 parsecs\"");
}

TEST(ParseSeconds, RefusesWhatIsNoTime) {
  for (const char* text : {"", "2", "us", "-2us", "-0s", "+2us", "nans", "infs", "nan", "inf",
                           "2us ", " 2us", "2US", "2e999s", "1e308h", "0x2s", "2,5us", "2us2us"}) {
    EXPECT_THROW(parse_seconds(text), InputError) << text;
  }
}

TEST(ParseSeconds, KeepsErrorsOnOneBearableLine) {
  const std::string error = input_error_of([] { parse_seconds("2\n" + std::string(5000, 'x')); });
  EXPECT_EQ(error.find('\n'), std::string::npos);
  EXPECT_LT(error.size(), 120U);
}

TEST(InQuotes, KeepsShortTextAsItIs) {
  EXPECT_EQ(in_quotes("25MiB"), "\"25MiB\"");
  EXPECT_EQ(in_quotes("a\tb"), "\"a?b\"");
}

TEST(InQuotes, NeverCutsInsideACharacter) {
  const std::string micro = "\xC2\xB5";  // two bytes; 59 + 2 > 60
  EXPECT_EQ(in_quotes(std::string(59, 'x') + micro), '"' + std::string(59, 'x') + "...\"");
}

TEST(ParseBytes, TellsDecimalFromBinaryUnits) {
  EXPECT_DOUBLE_EQ(parse_bytes("4096B").value, 4096);
  EXPECT_DOUBLE_EQ(parse_bytes("8kB").value, 8000);
  EXPECT_DOUBLE_EQ(parse_bytes("1.5GB").value, 1.5e9);
  EXPECT_DOUBLE_EQ(parse_bytes("8KiB").value, 8192);
  EXPECT_DOUBLE_EQ(parse_bytes("25MiB").value, 25.0 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(parse_bytes("2TiB").value, 2.0 * 1024 * 1024 * 1024 * 1024);
}

TEST(ParseBytes, RefusesWhatIsNoSize) {
  EXPECT_EQ(input_error_of([] { parse_bytes("25 "); }),
            "expected a size such as \"25MiB\", found \"25 \"");
  EXPECT_THROW(parse_bytes("25ms"), InputError);
  EXPECT_THROW(parse_bytes("-1B"), InputError);
}

TEST(ParseBandwidth, TellsBitsFromBytes) {
  EXPECT_DOUBLE_EQ(parse_bandwidth("10Gbps").value, 1.25e9);  // 10e9 bits / 8
  EXPECT_DOUBLE_EQ(parse_bandwidth("100Mbps").value, 12.5e6);
  EXPECT_DOUBLE_EQ(parse_bandwidth("12.5GBps").value, 12.5e9);
  EXPECT_DOUBLE_EQ(parse_bandwidth("4.8GiBps").value, 4.8 * 1024 * 1024 * 1024);
}

TEST(ParseBytes, TakesANumberAloneForBytes) {
  EXPECT_DOUBLE_EQ(parse_bytes("65536").value, 65536);
  EXPECT_DOUBLE_EQ(parse_bytes("65,536 B").value, 65536);
}

TEST(ParseBandwidth, ReadsSlashesAsReportsPrintThem) {
  EXPECT_DOUBLE_EQ(parse_bandwidth("1.15GB/s").value, 1.15e9);
  EXPECT_DOUBLE_EQ(parse_bandwidth("400GB/s").value, 4e11);
  EXPECT_DOUBLE_EQ(parse_bandwidth("100Gb/s").value, 12.5e9);     // 1e11 bits / 8
  EXPECT_DOUBLE_EQ(parse_bandwidth("25 Gbit/s").value, 3.125e9);  // 2.5e10 bits / 8
  EXPECT_DOUBLE_EQ(parse_bandwidth("512 KiB/s").value, 524288);
  for (const char* text : {"1", "1 ", "1  GB/s", "1Gb", "1GB", "1/s", "1kib/s", "1 gb/s", "1GGB/s"})
    EXPECT_THROW(parse_bandwidth(text), InputError) << text;
}

TEST(ParseCount, ReadsCommasBetweenThousands) {
  EXPECT_EQ(parse_count("65,536"), 65536U);
  EXPECT_EQ(parse_count("4,294,967,295"), 4294967295U);
  EXPECT_DOUBLE_EQ(parse_seconds("1,500.5 ms").value, 1.5005);
  for (const char* text : {"65,53", "6553,600", ",536", "1,", "1,,000", "1,0000", "1,000,"})
    EXPECT_THROW(parse_count(text), InputError) << text;
}

TEST(ParseNumber, ReadsPercent) {
  EXPECT_DOUBLE_EQ(parse_number("30.0 %"), 0.3);
  EXPECT_DOUBLE_EQ(parse_number("2%"), 0.02);
  EXPECT_THROW(parse_number("%"), InputError);
}

// Half a unit in the last of the four digits that are printed: 0.0005 of the value.
constexpr double kPrinted = 5.1e-4;

/// Numbers of every size: seven in each decade, and those just below a power.
std::vector<double> numbers_between(double least, double most) {
  std::vector<double> numbers;
  for (double decade = least; decade < most; decade *= 10)
    for (const double digits : {1.0, 1.0001, 1.024, 1.5005, 2.71828, 6.5536, 9.9994, 9.99996})
      numbers.push_back(decade * digits);
  return numbers;
}

TEST(Quantities, AreReadAsTheyArePrinted) {
  for (const double value : numbers_between(1e-12, 1e8))
    EXPECT_NEAR(parse_seconds(format_seconds({value})).value, value, kPrinted * value);
  for (const double value : numbers_between(1, 1e15))
    EXPECT_NEAR(parse_bytes(format_bytes({value})).value, value, kPrinted * value);
  for (const double value : numbers_between(1, 1e14)) {
    EXPECT_NEAR(parse_bandwidth(format_bandwidth({value})).value, value, kPrinted * value);
    EXPECT_NEAR(parse_bandwidth(gbps({value})).value, value, kPrinted * value);
  }
  EXPECT_EQ(parse_seconds(format_seconds({0})).value, 0);
  EXPECT_EQ(parse_bytes(format_bytes({0})).value, 0);
}

TEST(Quantities, ReadPercentAsItIsPrinted) {
  for (const double share : {0.0, 0.0004, 0.0125, 0.3, 0.999, 1.0, 12.5, -0.021})
    EXPECT_NEAR(parse_number(percent(share)), share, 0.00051);  // one decimal of a percent
}

TEST(ParseBandwidth, RefusesZeroAndNegative) {
  EXPECT_EQ(input_error_of([] { parse_bandwidth("0Gbps"); }),
            "expected a bandwidth above zero, found \"0Gbps\"");
  EXPECT_THROW(parse_bandwidth("-10Gbps"), InputError);
  EXPECT_THROW(parse_bandwidth("10GB"), InputError);
}

TEST(ParseNumber, IsFiniteAndNothingElse) {
  EXPECT_DOUBLE_EQ(parse_number("1.5"), 1.5);
  EXPECT_DOUBLE_EQ(parse_number("-2e-3"), -0.002);
  for (const char* text : {"", "nan", "inf", "-inf", "1.5x", " 1", "1e999"})
    EXPECT_THROW(parse_number(text), InputError) << text;
}

TEST(ParseCount, IsAWholeNumberFromTheLeastOn) {
  EXPECT_EQ(parse_count("0"), 0U);
  EXPECT_EQ(parse_count("4294967295"), 4294967295U);
  EXPECT_EQ(input_error_of([] { parse_count("4294967296", 1); }),
            "expected a whole number from 1 to 4294967295, found \"4294967296\"");
  EXPECT_EQ(input_error_of([] { parse_count("0", 1); }),
            "expected a whole number from 1 on, found \"0\"");
  for (const char* text : {"", "-1", "1.5", "4294967296", "8 ", "eight"})
    EXPECT_THROW(parse_count(text), InputError) << text;
}

TEST(NearestName, FindsTyposOfEveryKind) {
  const std::vector<std::string> names{"bsp", "wfbp", "horovod", "dear"};
  EXPECT_EQ(nearest_name("deer", names), "dear");       // substitution
  EXPECT_EQ(nearest_name("horvod", names), "horovod");  // deletion
  EXPECT_EQ(nearest_name("wwfbp", names), "wfbp");      // insertion
  EXPECT_EQ(nearest_name("daer", names), "dear");       // swap
  EXPECT_EQ(nearest_name("DeAR", names), "dear");       // case
}

TEST(NearestName, PrefersTheSmallerDistance) {
  const std::vector<std::string> names{"resnet152", "resnet50"};
  EXPECT_EQ(nearest_name("resnet5", names), "resnet50");
}

TEST(NearestName, CompletesABeginning) {
  const std::vector<std::string> names{"bert-base-rtx2080ti-bs64", "resnet50-rtx2080ti-bs64"};
  EXPECT_EQ(nearest_name("resnet50", names), "resnet50-rtx2080ti-bs64");
}

TEST(NearestName, KeepsQuietWithoutALikelyTypo) {
  const std::vector<std::string> names{"bsp", "dear"};
  EXPECT_EQ(nearest_name("pipeline", names), "");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'd'), names), "");
}

TEST(DidYouMean, NeverOffersWhatWasGiven) {
  EXPECT_EQ(did_you_mean("dear", std::vector<std::string>{"dear"}), "");
}

TEST(DidYouMean, IsAClauseOrNothing) {
  const std::vector<std::string> names{"dear"};
  EXPECT_EQ(did_you_mean("deer", names), "; did you mean \"dear\"?");
  EXPECT_EQ(did_you_mean("pipeline", names), "");
}

TEST(FormatSeconds, ShowsFourDigitsInAFittingUnit) {
  EXPECT_EQ(format_seconds({0.3137}), "313.7 ms");
  EXPECT_EQ(format_seconds({14.5e-6}), "14.5 us");
  EXPECT_EQ(format_seconds({0}), "0 s");
  EXPECT_EQ(format_seconds({12345}), "12345 s");
  EXPECT_EQ(format_seconds({-2e-3}), "-2 ms");
}

TEST(FormatSeconds, RoundsUpIntoTheNextUnit) {
  EXPECT_EQ(format_seconds({0.99996}), "1 s");  // and not "1000 ms"
}

TEST(FormatBytes, UsesBinaryUnits) {
  EXPECT_EQ(format_bytes({25.0 * 1024 * 1024}), "25 MiB");
  EXPECT_EQ(format_bytes({512}), "512 B");
  EXPECT_EQ(format_bytes({0}), "0 B");
}

TEST(FormatBandwidth, UsesDecimalUnits) {
  EXPECT_EQ(format_bandwidth({1.16e9}), "1.16 GB/s");
  EXPECT_EQ(format_bandwidth({12.5e6}), "12.5 MB/s");
}

TEST(Text, QuantitiesBeyondAnyMachineAreRefused) {
  const auto error = [](auto parse, const char* text) {
    return input_error_of([&] { parse(text); });
  };
  EXPECT_EQ(error(parse_seconds, "1e308s"),
            "expected a time of 0 or from 1e-15 s to 1e9 s, found \"1e308s\"");
  EXPECT_EQ(error(parse_seconds, "1e-300s"),
            "expected a time of 0 or from 1e-15 s to 1e9 s, found \"1e-300s\"");
  EXPECT_EQ(error(parse_seconds, "0s"), "no error");
  EXPECT_EQ(error(parse_bytes, "2e6TB"), "expected a size of at most 1e18 B, found \"2e6TB\"");
  EXPECT_EQ(error(parse_bandwidth, "1e-300Bps"),
            "expected a bandwidth from 1 B/s to 1e18 B/s, found \"1e-300Bps\"");
  EXPECT_EQ(error(parse_number, "-1e31"), "expected a number from -1e30 to 1e30, found \"-1e31\"");
}

TEST(Text, NumberAtTheEndOfAName) {
  EXPECT_EQ(number_at_end("ProfilerStep#4"), 4U);
  EXPECT_EQ(number_at_end("12"), 12U);
  EXPECT_EQ(number_at_end("step 12 of"), std::nullopt);
  EXPECT_EQ(number_at_end(""), std::nullopt);
  EXPECT_EQ(number_at_end("step 99999999999999999999"), std::nullopt);
}

}  // namespace
}  // namespace stepcast
