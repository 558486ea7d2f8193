#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/units.hpp"
#include "traces/formats/nccl_tests/rank_range.hpp"
#include "traces/formats/reader.hpp"

namespace stepcast {

/// Where the columns of a table stand that hold times. Versions differ: redop and root only where
/// the collective has them, "error" or "#wrong", and columns for bitwise comparisons, the spread of
/// the iterations and the time of day, which only the heading tells apart.
struct TableColumns {
  struct Timed {
    std::size_t time = 0;   ///< Algorithm and bus bandwidth follow it.
    std::size_t error = 0;  ///< Wrong values.
  };
  std::array<Timed, 2> timed;  ///< Out of place, in place.
  std::size_t count = 0;       ///< Columns that a row has at least.
  bool plain = true;           ///< Without further columns: rows are read from their end.
};

/// None if the line is no heading: "size  count  type  redop  time  algbw  busbw  error ..." behind
/// its "#".
std::optional<TableColumns> find_columns(const std::vector<std::string_view>& words);

struct TableRow {
  Bytes size{};
  bool has_redop = false;
  bool has_root = false;
  Seconds out_of_place{};
  Seconds in_place{};
  std::vector<std::pair<PrintedBandwidth, PrintedBandwidth>> bandwidths;  ///< Algorithm, bus.
  bool negative = false;
  bool wrong = false;
  bool contradictory = false;
};

/// None if the words are no row of that table.
std::optional<TableRow> find_row(const std::vector<std::string_view>& words, TableColumns columns);

/// Whether a time says another bandwidth than the row, in GB/s: then one of them has another unit.
/// Bandwidths below 1 are printed too coarsely to tell.
bool contradicts(Bytes size, Seconds time, double algorithm_bandwidth);

/// Returns the shorter of the two times of a row. Counts a doubt if they differ much.
Seconds shorter_of(Seconds out_of_place, Seconds in_place, const std::string& where,
                   ImportReport& report);

}  // namespace stepcast
