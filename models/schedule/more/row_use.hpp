#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace stepcast {

/// Returns the sum of r^-s over r = 1 ... n, in closed form from 32 terms on (Euler-Maclaurin,
/// error below 2e-8). A part of a term counts as such.
double harmonic(double n, double s);

/// How often the rows of an embedding table are looked up, most used rows first.
struct RowUse {
  double rows = 0;
  /// The share of the lookups that reads one of the `count` most used rows.
  std::function<double(double count)> lookups;
  /// Rows that are looked up at least `use` times as often as the most used one, 0 < use <= 1.
  std::function<double(double use)> rows_from;
};

/// Row r is looked up with probability r^-s / harmonic(rows, s) (Zipf's law).
RowUse zipf_use(double rows, double s);

/// Rows are looked up as often as counted: each count stands for as many rows of equal use as any
/// other. At least one count, in any order, none below 0, one above.
RowUse counted_use(double rows, std::vector<double> counts);

/// The same from text: one number is Zipf's exponent; several, with white space, commas or colons
/// between them, are counts. Throws InputError that says what was expected.
RowUse row_use_of(double rows, std::string_view text);

/// What is left of a table whose vectors are cut into chunks, of which the least useful are dropped
/// (FIITED: Luo et al., "Fine-Grained Embedding Dimension Optimization During Training for
/// Recommender Systems", 2024). The utility of chunk j = 1, 2, ... of row r is its use times
/// j^-decay.
struct KeptChunks {
  std::vector<double> rows;     ///< That keep each chunk.
  std::vector<double> lookups;  ///< Share of the lookups whose row keeps it.

  /// Share of the looked-up bytes that is still read.
  double mean_lookups() const;
  /// Share of the chunks of pooled vectors, sums of `pooling` rows, that are not zero: the mean of
  /// 1 - (1 - lookups)^pooling.
  double pooled(double pooling) const;
};

/// Keeps the part `keep` of all chunks, those of most utility; of equal ones a part.
KeptChunks kept_chunks(const RowUse& use, double keep, std::uint32_t chunks, double decay);

}  // namespace stepcast
