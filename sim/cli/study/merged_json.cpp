#include "sim/cli/study/merged_json.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "models/base/archive.hpp"
#include "models/base/error.hpp"
#include "sim/cli/study/merged_study.hpp"
#include "sim/report/json/sweep_json.hpp"
#include "sim/workers/stop.hpp"
#include "sim/workers/workers.hpp"

// To read a line and to write its row takes as long as a short forecast. So workers do it, each
// some lines at a time, and pass over those of the others; this process puts their texts in order.

namespace stepcast {
namespace {

constexpr std::uint32_t kPiece = 64;  // combinations

struct MergedRow {
  std::uint32_t job = 0;  ///< The place of its first combination.
  SweepRowText row{};
  std::vector<Cell> cells{};  ///< Of a combination that has no forecast,
  std::string refusal{};      ///< and why.
  bool died = false;
};

auto fields_of(Is<MergedRow> auto& row) {
  auto& [job, text, cells, refusal, died] = row;
  return std::tie(job, text, cells, refusal, died);
}

struct MergedPiece {
  std::vector<MergedRow> rows{};
};

auto fields_of(Is<MergedPiece> auto& piece) {
  auto& [rows] = piece;
  return std::tie(rows);
}

MergedRow row_of(const Combination& combination, const SweepResult& result) {
  MergedRow row{.job = combination.baseline, .refusal = result.refusal, .died = result.died};
  if (result.forecast)
    row.row = row_text_of(combination.cells, *result.forecast);
  else
    row.cells = combination.cells;
  return row;
}

/// Writes pieces in their order, whenever they come.
class Writer {
 public:
  explicit Writer(bool keep_going) : keep_going_(keep_going) {}

  void take(std::uint32_t number, std::string bytes) {
    waiting_.emplace(number, std::move(bytes));
    for (auto first = waiting_.find(next_); first != waiting_.end(); first = waiting_.find(next_)) {
      for (const MergedRow& row : from_bytes<MergedPiece>(first->second).rows)
        write(row);
      waiting_.erase(first);
      ++next_;
    }
  }

  MergedJson finish() && {
    if (!refused_.empty())
      throw InputError(refused_);
    return {.text = std::move(json_).finish(), .died = died_};
  }

 private:
  void write(const MergedRow& row) {
    died_ = died_ || row.died;
    if (row.refusal.empty()) {
      json_.add(row.row, row.job);
      return;
    }
    if (!keep_going_ && !row.died && refused_.empty())
      refused_ = name_of(Combination{.cells = row.cells}) + ": " + row.refusal;  // as compare ends
    json_.refuse(row.cells, row.refusal);
  }

  bool keep_going_;
  SweepJson json_;
  std::map<std::uint32_t, std::string> waiting_;
  std::uint32_t next_ = 0;
  std::string refused_;
  bool died_ = false;
};

}  // namespace

MergedJson merged_json(const std::vector<std::string>& files, bool partial, std::uint32_t workers) {
  std::optional<MergedStudy> study(std::in_place, files, partial);
  Writer writer(study->keep_going());
  const std::uint32_t pieces = (study->combinations() + kPiece - 1) / kPiece;
  const auto read = [&](std::uint32_t piece) {  // in a worker, which has the study for itself
    if (study->place() > piece * kPiece)
      study.emplace(files, partial);
    MergedPiece found;
    study->read(
        piece * kPiece, (piece + 1) * kPiece,
        [&](std::uint32_t /*place*/, const Combination& combination, const SweepResult& result) {
          found.rows.push_back(row_of(combination, result));
        });
    return bytes_of(found);
  };
  const auto outcomes = outcomes_on_workers(pieces,
                                            {.workers = std::max(1U, std::min(workers, pieces)),
                                             .finished =
                                                 [&](std::uint32_t number, JobOutcome& outcome) {
                                                   if (outcome.done())
                                                     writer.take(number, std::move(outcome.text));
                                                 }},
                                            read);
  for (const JobOutcome& outcome : outcomes)
    if (stop_signal() == 0 || outcome.ending != JobOutcome::Ending::Missing)
      result_of(outcome);
  if (stop_signal() != 0)
    throw Stopped(stop_signal());
  return std::move(writer).finish();
}

}  // namespace stepcast
