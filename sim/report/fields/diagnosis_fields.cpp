#include "sim/report/fields/diagnosis_fields.hpp"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/text.hpp"
#include "sim/report/fields/reading.hpp"
#include "traces/formats/rank_comparison.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::ordered_json;

template <auto Member>
Json use_of(const RankRow& row) {
  return of<&RankRow::use, Member>(row);
}
template <auto Member>
Json device_of(const RankRow& row) {
  return of<&RankRow::rank, &JobRank::device, Member>(row);
}
template <auto Member>
Json meeting_of(const MeetingRow& row) {
  return of<&MeetingRow::of, Member>(row);
}
template <auto Member>
Json clock_of(const ClockRow& row) {
  return of<&ClockRow::of, Member>(row);
}

template <auto Member>
Json held(const RankRow& row) {
  return known<&RankRow::rank, &JobRank::device, Member>(row);
}

/// Nothing is known of an empty queue where none is recorded.
Json empty_queue_of(const RankRow& row) {
  return unless(!row.rank->device.queued, device_of<&DeviceUse::queue_empty>(row));
}

std::string offset_in(const Json& value) {
  return format_offset({value.get<double>()});
}

std::string short_name(const Json& value) {
  constexpr std::size_t kLongest = 44;
  const std::string name = value;
  return name.size() > kLongest ? name.substr(0, kLongest - 2) + ".." : name;
}

constexpr std::array kRankFields = std::to_array<Field<RankRow>>({
    {"label", Unit::Name, [](const RankRow& row) { return Json(label_of(*row.rank)); }, "", "",
     "rank", kNoJson},
    {"rank", Unit::Count, of<&RankRow::rank, &JobRank::number>},
    {"data", Unit::Count, of<&RankRow::rank, &JobRank::data>, "", "", "data", kStages},
    {"stage", Unit::Count, of<&RankRow::rank, &JobRank::stage>, "", "", "stage", kStages},
    {"slowdown", Unit::Slowdown, use_of<&RankUse::slowdown>, "", "", "slow-down"},
    {"computing_s", Unit::Seconds, use_of<&RankUse::computing>, "", "", "computing", kIfAny},
    {"communicating_s", Unit::Seconds, use_of<&RankUse::communicating>, "", "", "comm", kIfAny},
    {"exposed_communication_s", Unit::Seconds, use_of<&RankUse::exposed>, "", "", "exposed",
     kIfAny},
    {"overlap", Unit::Share, use_of<&RankUse::overlap>, "", "", "overlap", kNull | kIfAny},
    {"copies_s", Unit::Seconds, use_of<&RankUse::copies>, "", "", "copies", kIfAny},
    {"copies_alone_s", Unit::Seconds, use_of<&RankUse::copies_alone>, "", "", "copies alone",
     kPage | kIfAny},
    {"waiting_s", Unit::Seconds, use_of<&RankUse::waiting>, "", "", "waiting", kIfAny},
    {"idle_for_host_s", Unit::Seconds, use_of<&RankUse::idle_for_host>, "", "", "host", kIfAny},
    {"other_s", Unit::Seconds, use_of<&RankUse::other>, "", "", "other", kIfAny},
    {"holding_s", Unit::Seconds, use_of<&RankUse::holding>, "", "", "holding", kIfAny},
    {"critical_path_s", Unit::Seconds, use_of<&RankUse::on_path>, "", "", "critical path", kPage},
    {"replay_error", Unit::Share, use_of<&RankUse::replay_error>},
    {"short_kernels", Unit::Count, use_of<&RankUse::short_kernels>, "", "", "<10 us",
     kNull | kIfAny, with_decimals<0>},
    {"launch_queue", Unit::Count, device_of<&DeviceUse::queued>, "", "", "queued", kNull | kIfKnown,
     with_decimals<1>},
    {"launch_queue_empty", Unit::Share, empty_queue_of, "", "", "no queue", kNull | kIfKnown},
    {"allocated_bytes", Unit::Bytes, held<&DeviceUse::allocated>, "", "", "allocated",
     kNull | kIfKnown},
    {"reserved_bytes", Unit::Bytes, held<&DeviceUse::reserved>, "", "", "reserved",
     kNull | kIfKnown},
    {"name", Unit::Name, known<&RankRow::rank, &JobRank::name>, "", "", "", kOptional},
});

constexpr std::array kMeetingFields = std::to_array<Field<MeetingRow>>({
    {"name", Unit::Name, meeting_of<&MeetingCost::name>, "", "", "meeting"},
    {"ranks", Unit::Rows, of<&MeetingRow::numbers>},
    {"ranks_in_words", Unit::Text, of<&MeetingRow::ranks>, "", "", "ranks", kNoJson},
    {"message", Unit::Flag, meeting_of<&MeetingCost::message>},
    {"count", Unit::Count, meeting_of<&MeetingCost::count>, "", "", "count", 0, with_digits},
    {"transfer_s", Unit::Seconds, meeting_of<&MeetingCost::transfer>, "", "", "transfer ms"},
    {"exposed_communication_s", Unit::Seconds, meeting_of<&MeetingCost::exposed>, "", "",
     "exposed ms"},
    {"waiting_s", Unit::Seconds, meeting_of<&MeetingCost::waiting>, "", "", "waiting ms"},
    {"size_bytes", Unit::Bytes, known<&MeetingRow::of, &MeetingCost::size>, "", "", "", kNull},
    {"busbw_bytes_per_s", Unit::BytesPerSecond, meeting_of<&MeetingCost::bus_bandwidth>, "", "",
     "bus bandwidth", kNull | kIfKnown},
    {"cluster_busbw_bytes_per_s", Unit::BytesPerSecond, meeting_of<&MeetingCost::cluster_bandwidth>,
     "", "", "", kNull},
});

constexpr std::array kClockFields = std::to_array<Field<ClockRow>>({
    {"name", Unit::Name, clock_of<&HostClock::name>, "", "", "clock"},
    {"ranks", Unit::Rows, of<&ClockRow::numbers>, "", "", "ranks", kPage},
    {"offset_s", Unit::Time, clock_of<&HostClock::offset>, "", "", "offset", 0, offset_in},
    {"half_width_s", Unit::Time, clock_of<&HostClock::half_width>, "", "", "half within"},
    {"drift", Unit::PartsPerMillion, clock_of<&HostClock::drift>, "", "", "drift ppm"},
    {"collectives", Unit::Count, clock_of<&HostClock::collectives>, "", "", "collectives", kPage},
    {"violations_before", Unit::Count, clock_of<&HostClock::violations_before>, "", "",
     "too early before"},
    {"violations_after", Unit::Count, clock_of<&HostClock::violations_after>, "", "",
     "too early after"},
    {"part", Unit::Count, clock_of<&HostClock::part>, "", "", "part", kPage},
});

constexpr auto kSlowest = &UnevenKind::slowest;
constexpr auto kFastest = &UnevenKind::fastest;

constexpr std::array kUnevenFields = std::to_array<Field<UnevenKind>>({
    {"kind", Unit::Name, of<&UnevenKind::name>, "", "", "kernel", 0, short_name},
    {"slowest_count", Unit::Count, of<kSlowest, &RankKernels::count>, "", "", "count", 0,
     with_digits},
    {"slowest_s", Unit::Seconds, of<kSlowest, &RankKernels::time>, "", "", "slowest ms"},
    {"fastest_count", Unit::Count, of<kFastest, &RankKernels::count>},
    {"fastest_s", Unit::Seconds, of<kFastest, &RankKernels::time>, "", "", "fastest ms"},
    {"longer_by_s", Unit::Seconds, of<&UnevenKind::longer_by>, "", "", "longer by", kNoJson},
});

std::vector<std::uint32_t> numbers_of(const Diagnosis& diagnosis,
                                      const std::vector<std::uint32_t>& ranks) {
  std::vector<std::uint32_t> numbers;
  for (const std::uint32_t rank : ranks)
    numbers.push_back(diagnosis.ranks[rank].number);
  return numbers;
}

/// "0-3, 6", of many runs the first ones; of a message "2 -> 3".
std::string ranks_in_words(const MeetingCost& cost, const std::vector<JobRank>& ranks) {
  constexpr std::size_t kMostRuns = 3;
  const auto label = [&](std::size_t place) { return label_of(ranks[cost.ranks[place]]); };
  if (cost.message)
    return label(0) + " -> " + label(1);
  const auto number = [&](std::size_t place) { return ranks[cost.ranks[place]].number; };
  std::string text;
  std::size_t runs = 0;
  for (std::size_t first = 0; first < cost.ranks.size(); ++runs) {
    std::size_t last = first;
    while (last + 1 < cost.ranks.size() && number(last + 1) == number(last) + 1)
      ++last;
    if (runs == kMostRuns)
      return fmt::format("{} .. ({} ranks)", text, cost.ranks.size());
    const std::string run = first == last ? label(first) : label(first) + "-" + label(last);
    text += text.empty() ? run : ", " + run;
    first = last + 1;
  }
  return text;
}

}  // namespace

std::vector<RankRow> rank_rows(const Diagnosis& diagnosis) {
  std::vector<RankRow> rows;
  for (const RankUse& use : diagnosis.uses)
    rows.push_back({&use, &diagnosis.ranks[use.rank]});
  return rows;
}

std::vector<MeetingRow> meeting_rows(const Diagnosis& diagnosis) {
  std::vector<MeetingRow> rows;
  for (const MeetingCost& cost : diagnosis.meetings)
    rows.push_back(
        {&cost, numbers_of(diagnosis, cost.ranks), ranks_in_words(cost, diagnosis.ranks)});
  return rows;
}

std::vector<ClockRow> clock_rows(const Diagnosis& diagnosis) {
  std::vector<ClockRow> rows;
  for (const HostClock& clock : diagnosis.clocks.hosts)
    rows.push_back({&clock, numbers_of(diagnosis, clock.ranks)});
  return rows;
}

std::span<const Field<RankRow>> rank_fields() {
  return kRankFields;
}
std::span<const Field<MeetingRow>> meeting_fields() {
  return kMeetingFields;
}
std::span<const Field<ClockRow>> clock_fields() {
  return kClockFields;
}
std::span<const Field<UnevenKind>> uneven_fields() {
  return kUnevenFields;
}

}  // namespace stepcast
