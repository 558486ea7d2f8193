// Which rows of an embedding table are looked up how often, and what is kept of them by utility.
//
// The most used k rows of N get the share H(k, s) / H(N, s) of the lookups under Zipf's law. Chunk
// j of row r is kept if its utility p_r j^-b is above a threshold: the threshold follows from the
// share that is kept by bisection, and so rows and lookups of every chunk. One share for memory and
// for traffic would be wrong: of 10^6 rows and s = 1.05 a third of the rows gets 95 % of the
// lookups.

#include "models/schedule/more/row_use.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>

#include "models/base/error.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

std::vector<double> numbers_in(std::string_view text) {
  constexpr std::string_view kBetween = " \t\r\n,:";
  std::vector<double> numbers;
  for (std::size_t begin = text.find_first_not_of(kBetween); begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBetween, begin), text.size());
    numbers.push_back(parse_number(text.substr(begin, end - begin)));
    begin = text.find_first_not_of(kBetween, end);
  }
  return numbers;
}

/// Counts as shares of all lookups, falling, and their sums.
struct Counted {
  std::vector<double> counts;
  std::vector<double> sums{0};
  double each = 0;  // rows that a count stands for

  double lookups(double rows) const {
    const double place = std::min(rows / each, static_cast<double>(counts.size()));
    const auto whole = static_cast<std::size_t>(place);
    const double part = place - static_cast<double>(whole);
    return sums[whole] + (whole < counts.size() ? part * counts[whole] : 0);
  }
  double rows_from(double use) const {
    const double least = use * counts.front();
    const auto end = std::ranges::find_if(counts, [&](double count) { return count < least; });
    return each * static_cast<double>(end - counts.begin());
  }
};

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double mean_of(const std::vector<double>& values) {
  return sum_of(values) / static_cast<double>(values.size());
}

// Rows that keep each chunk where those of at least this utility are kept; that of the first chunk
// of the most used row is 1.
std::vector<double> rows_from(const RowUse& use, double utility, std::uint32_t chunks,
                              double decay) {
  std::vector<double> rows;
  for (std::uint32_t j = 1; j <= chunks; ++j) {
    const double least = utility * std::pow(j, decay);
    rows.push_back(least <= 1 ? use.rows_from(least) : 0);
  }
  return rows;
}

}  // namespace

double harmonic(double n, double s) {
  constexpr double kTerms = 32;
  double sum = 0;
  const double last = std::floor(std::min(n, kTerms - 1));
  for (double k = 1; k <= last; ++k)
    sum += std::pow(k, -s);
  if (n < kTerms)
    return sum + (n - last) * std::pow(last + 1, -s);
  const double integral =
      s == 1 ? std::log(n / kTerms) : (std::pow(n, 1 - s) - std::pow(kTerms, 1 - s)) / (1 - s);
  return sum + integral + (std::pow(kTerms, -s) + std::pow(n, -s)) / 2 +
         s / 12 * (std::pow(kTerms, -s - 1) - std::pow(n, -s - 1));
}

RowUse zipf_use(double rows, double s) {
  const double all = harmonic(rows, s);
  return {.rows = rows,
          .lookups = [=](double count) { return harmonic(std::min(count, rows), s) / all; },
          .rows_from =
              [=](double use) { return s == 0 ? rows : std::min(rows, std::pow(use, -1 / s)); }};
}

RowUse counted_use(double rows, std::vector<double> counts) {
  std::ranges::sort(counts, std::greater{});
  const double all = sum_of(counts);
  const auto table = std::make_shared<Counted>();
  for (double& count : counts) {
    count /= all;
    table->sums.push_back(table->sums.back() + count);
  }
  table->each = rows / static_cast<double>(counts.size());
  table->counts = std::move(counts);
  return {.rows = rows,
          .lookups = [table](double count) { return table->lookups(count); },
          .rows_from = [table](double use) { return table->rows_from(use); }};
}

RowUse row_use_of(double rows, std::string_view text) {
  const auto refuse = [&](const char* why) {
    throw InputError(std::string("expected Zipf's exponent from 0 to 10, or counts of lookups ") +
                     why + ", found " + in_quotes(text));
  };
  std::vector<double> numbers;
  try {
    numbers = numbers_in(text);
  } catch (const InputError&) {
    refuse("(@FILE)");
  }
  if (numbers.empty() || std::ranges::any_of(numbers, [](double each) { return each < 0; }))
    refuse("of at least 0");
  if (numbers.size() == 1) {
    constexpr double kMost = 10;
    if (numbers.front() > kMost)
      refuse("of several rows");
    return zipf_use(rows, numbers.front());
  }
  if (!(sum_of(numbers) > 0))
    refuse("of which one is above 0");
  if (static_cast<double>(numbers.size()) > rows)
    refuse("of no more rows than a table has");
  return counted_use(rows, std::move(numbers));
}

double KeptChunks::mean_lookups() const {
  return mean_of(lookups);
}

double KeptChunks::pooled(double pooling) const {
  double sum = 0;
  for (const double share : lookups)
    sum += 1 - std::pow(1 - share, pooling);
  return sum / static_cast<double>(lookups.size());
}

KeptChunks kept_chunks(const RowUse& use, double keep, std::uint32_t chunks, double decay) {
  const double wanted = keep * use.rows * chunks;
  double low = -1, high = 1;  // log2 of the threshold: at low more is kept than is wanted
  while (sum_of(rows_from(use, std::exp2(low), chunks, decay)) < wanted && low > -1000)
    low *= 2;
  constexpr int kSteps = 100;
  for (int step = 0; step < kSteps; ++step) {
    const double middle = (low + high) / 2;
    const double kept = sum_of(rows_from(use, std::exp2(middle), chunks, decay));
    (kept >= wanted ? low : high) = middle;
  }
  // Between the two lie chunks of equal utility, of which a part is kept.
  const std::vector<double> more = rows_from(use, std::exp2(low), chunks, decay);
  const std::vector<double> fewer = rows_from(use, std::exp2(high), chunks, decay);
  const double between = sum_of(more) - sum_of(fewer);
  const double part = between > 0 ? std::clamp((wanted - sum_of(fewer)) / between, 0.0, 1.0) : 1;
  KeptChunks kept;
  for (std::uint32_t j = 0; j < chunks; ++j) {
    kept.rows.push_back(fewer[j] + part * (more[j] - fewer[j]));
    kept.lookups.push_back(std::min(1.0, use.lookups(kept.rows.back())));
  }
  return kept;
}

}  // namespace stepcast
