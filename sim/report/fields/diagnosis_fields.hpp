#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "sim/report/fields/field.hpp"

namespace stepcast {

/// A rank of a diagnosis, with what its time goes for.
struct RankRow {
  const RankUse* use = nullptr;
  const JobRank* rank = nullptr;
};

/// Something among ranks: a meeting, or a clock that they share.
template <class Of>
struct AmongRanks {
  const Of* of = nullptr;
  std::vector<std::uint32_t> numbers{};
  std::string ranks{};  ///< In words.
};
using MeetingRow = AmongRanks<MeetingCost>;
using ClockRow = AmongRanks<HostClock>;

std::vector<RankRow> rank_rows(const Diagnosis& diagnosis);
std::vector<MeetingRow> meeting_rows(const Diagnosis& diagnosis);
std::vector<ClockRow> clock_rows(const Diagnosis& diagnosis);

std::span<const Field<RankRow>> rank_fields();
std::span<const Field<MeetingRow>> meeting_fields();
std::span<const Field<ClockRow>> clock_fields();
std::span<const Field<UnevenKind>> uneven_fields();

}  // namespace stepcast
