#include "models/schedule/more/row_use.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

constexpr double kRows = 1e6;

TEST(Harmonic, AgreesWithTheSum) {
  for (const double s : {0.0, 0.5, 1.0, 1.05, 2.0})
    for (const int n : {1, 5, 31, 32, 33, 1000, 100'000}) {
      double sum = 0;
      for (int k = n; k >= 1; --k)
        sum += std::pow(k, -s);
      EXPECT_NEAR(harmonic(n, s) / sum, 1, 2e-8) << n << " " << s;
    }
  EXPECT_NEAR(harmonic(kRows, .8), 74.807129, 5e-7);
  EXPECT_NEAR(harmonic(kRows, 1.05), 10.557100, 5e-7);
  EXPECT_NEAR(harmonic(kRows, 1.2), 5.276104, 5e-7);
  EXPECT_NEAR(harmonic(2.5, 1), 1.5 + 0.5 / 3, 1e-12);  // half of the third term
}

TEST(ZipfUse, GivesTheMostUsedRowsTheirShare) {
  const std::vector<double> parts{.0001, .001, .01, .05, .1, .2, .35, .5};
  const auto expect = [&](double s, const std::vector<double>& shares) {
    const RowUse use = zipf_use(kRows, s);
    for (std::size_t i = 0; i < parts.size(); ++i)
      EXPECT_NEAR(use.lookups(parts[i] * kRows), shares[i], 5e-7) << s << " " << parts[i];
  };
  expect(.8, {.108739, .206796, .362407, .522545, .609066, .708454, .799379, .862872});
  expect(1.05, {.445032, .608338, .754159, .846578, .884146, .920435, .948830, .966517});
  expect(1.2, {.682897, .821774, .909600, .950936, .965027, .977295, .986030, .991109});
}

TEST(KeptChunks, FollowUse) {
  const auto expect = [](double s, std::uint32_t chunks, double decay, double lookups) {
    const KeptChunks kept = kept_chunks(zipf_use(kRows, s), .35, chunks, decay);
    EXPECT_NEAR(kept.mean_lookups(), lookups, 5e-7) << s << " " << chunks << " " << decay;
    double sum = 0;
    for (const double rows : kept.rows)
      sum += rows;
    EXPECT_NEAR(sum / (kRows * chunks), .35, 1e-9);
  };
  for (const std::uint32_t chunks : {1U, 4U, 8U}) {
    expect(.8, chunks, 0, .799379);
    expect(1.05, chunks, 0, .948830);
    expect(1.2, chunks, 0, .986030);
  }
  expect(.8, 4, .5, .791801);
  expect(1.05, 4, .5, .947164);
  expect(1.2, 4, .5, .985603);
  expect(.8, 4, 1, .769155);
  expect(1.05, 4, 1, .942052);
  expect(1.2, 4, 1, .984284);
  expect(.8, 8, 1, .760003);
  expect(1.05, 8, 1, .937152);
  expect(1.2, 8, 1, .983055);
}

TEST(KeptChunks, OfEachKindAreRowsByUse) {
  // Under Zipf's law the first k j^(-decay/s) rows keep chunk j; 1.4 or 2.8 million are kept.
  for (const auto& [chunks, decay] : {std::pair{4U, .5}, {4U, 1.}, {8U, 1.}}) {
    double sum = 0;
    for (std::uint32_t j = 1; j <= chunks; ++j)
      sum += std::pow(j, -decay / 1.05);
    const KeptChunks kept = kept_chunks(zipf_use(kRows, 1.05), .35, chunks, decay);
    for (std::uint32_t j = 1; j <= chunks; ++j)
      EXPECT_NEAR(kept.rows[j - 1], .35e6 * chunks / sum * std::pow(j, -decay / 1.05), 1e-3);
  }
  const std::vector<double> known{494'996, 355'840, 293'360, 255'804};
  const KeptChunks kept = kept_chunks(zipf_use(kRows, 1.05), .35, 4, .5);
  for (std::size_t j = 0; j < 4; ++j)
    EXPECT_NEAR(kept.rows[j], known[j], 0.5);
}

TEST(KeptChunks, NoOtherChoiceOfAsManyChunksIsLookedUpMore) {
  // Four rows of 8, 4, 2 and 1 lookups, two chunks of utility 1 and 1/2: 8 4 4 2 2 1 1 .5, of which
  // half are 8, 4, 4 and one of the two of 2: (8 + 4 + 4 ...) by brute force over all choices.
  const RowUse use = counted_use(4, {2, 8, 1, 4});
  const KeptChunks kept = kept_chunks(use, 3. / 8, 2, 1);
  const std::vector<double> lookups{8, 4, 2, 1};
  double most = 0;
  for (unsigned chosen = 0; chosen < 256; ++chosen) {
    int count = 0;
    double utility = 0;
    for (unsigned each = 0; each < 8; ++each)
      if ((chosen >> each & 1U) != 0) {
        ++count;
        utility += lookups[each / 2] / (each % 2 + 1);
      }
    if (count == 3)
      most = std::max(most, utility);
  }
  EXPECT_NEAR(15 * (kept.lookups[0] + kept.lookups[1] / 2), most, 1e-9);
  EXPECT_NEAR(kept.rows[0], 2, 1e-9);
  EXPECT_NEAR(kept.rows[1], 1, 1e-9);
}

TEST(KeptChunks, OfEqualRowsAreAPart) {
  const KeptChunks zipf = kept_chunks(zipf_use(kRows, 0), .25, 1, 0);
  EXPECT_NEAR(zipf.lookups[0], .25, 1e-9);
  const KeptChunks counted = kept_chunks(counted_use(100, {5, 5, 5, 5}), .3, 2, 0);
  EXPECT_NEAR(counted.rows[0], 30, 1e-9);
  EXPECT_NEAR(counted.mean_lookups(), .3, 1e-9);
  const KeptChunks all = kept_chunks(zipf_use(kRows, 1.05), 1, 4, 1);
  EXPECT_NEAR(all.mean_lookups(), 1, 1e-9);
}

TEST(KeptChunks, ArePooledAway) {
  // S = .8: 1 - .2^L.
  KeptChunks kept{.rows = {1}, .lookups = {.8}};
  EXPECT_NEAR(kept.pooled(1), .8, 1e-12);
  EXPECT_NEAR(kept.pooled(2), .96, 1e-12);
  EXPECT_NEAR(kept.pooled(10), 1.0000, 5e-5);
}

TEST(CountedUse, OfZipfsCountsIsZipfsLaw) {
  std::vector<double> counts;
  for (int row = 1; row <= 1000; ++row)
    counts.push_back(std::pow(row, -1.05));
  const RowUse counted = counted_use(1000, counts), zipf = zipf_use(1000, 1.05);
  for (const double rows : {1., 10., 350., 1000.})
    EXPECT_NEAR(counted.lookups(rows), zipf.lookups(rows), 1e-7);
  EXPECT_NEAR(kept_chunks(counted, .35, 4, .5).mean_lookups(),
              kept_chunks(zipf, .35, 4, .5).mean_lookups(), 1e-3);
  // Each of two counts stands for five rows.
  EXPECT_NEAR(counted_use(10, {1, 3}).lookups(5), .75, 1e-12);
  EXPECT_NEAR(counted_use(10, {1, 3}).lookups(8), .75 + .6 * .25, 1e-12);
}

TEST(RowUse, IsReadFromText) {
  EXPECT_NEAR(row_use_of(kRows, "1.05").lookups(350'000), .948830, 5e-7);
  EXPECT_NEAR(row_use_of(10, "3\n1\n").lookups(5), .75, 1e-12);
  EXPECT_NEAR(row_use_of(10, "3:1").lookups(5), .75, 1e-12);
  const auto refusal = [](const char* text) {
    return input_error_of([&] { row_use_of(10, text); });
  };
  const std::string expected = "expected Zipf's exponent from 0 to 10, or counts of lookups ";
  EXPECT_EQ(refusal("steep"), expected + "(@FILE), found \"steep\"");
  EXPECT_EQ(refusal("-1"), expected + "of at least 0, found \"-1\"");
  EXPECT_EQ(refusal("11"), expected + "of several rows, found \"11\"");
  EXPECT_EQ(refusal("0 0"), expected + "of which one is above 0, found \"0 0\"");
  EXPECT_EQ(refusal("1 1 1 1 1 1 1 1 1 1 1"),
            expected + "of no more rows than a table has, found \"1 1 1 1 1 1 1 1 1 1 1\"");
}

}  // namespace
}  // namespace stepcast
