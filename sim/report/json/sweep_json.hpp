#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/study/sweep/sweep.hpp"
#include "traces/json/spooled_text.hpp"

namespace stepcast {

/// {"results": [...]} as compare_json() writes it, each with its combination; speed-ups are against
/// the first row of the same job.
std::string sweep_json(const std::vector<SweepRow>& rows);

/// A row of it as text, but for the speed-up, which stands between the two.
struct SweepRowText {
  double throughput = 0;
  std::string before{};
  std::string after{};
};

auto fields_of(Is<SweepRowText> auto& row) {
  auto& [throughput, before, after] = row;
  return std::tie(throughput, before, after);
}

SweepRowText row_text_of(const std::vector<Cell>& cells, const Forecast& forecast);

/// Writes sweep_json() row by row, and after them the combinations that have no forecast as
/// "refused", holding neither.
class SweepJson {
 public:
  /// `job` is the place of the first combination of the row's job: rows of a job are written one
  /// after the other.
  void add(const SweepRowText& row, std::uint32_t job);
  void refuse(const std::vector<Cell>& cells, const std::string& reason);
  bool has_rows() const { return rows_.size() > 0; }

  /// Empty where there is neither a row nor a refusal. Throws InputError where every combination
  /// was refused.
  SpooledText finish() &&;

 private:
  SpooledText rows_;
  SpooledText refused_;
  std::string first_refusal_;
  std::uint32_t job_ = 0;
  double baseline_ = 0;  ///< The throughput of the first row of the job.
};

}  // namespace stepcast
