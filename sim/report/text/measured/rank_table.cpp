#include "sim/report/text/measured/rank_table.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kMostRanks = 8;

/// A column, if it tells anything of any rank.
class RankColumns {
 public:
  RankColumns(std::vector<RankUse> all, Seconds step) : all_(std::move(all)) {
    constexpr Seconds kLong{1};
    decimals_ = step < kLong ? 2 : 1;
    std::ranges::stable_sort(all_, std::greater<>(), &RankUse::slowdown);
    table_.rows.resize(std::min(all_.size(), kMostRanks));
  }

  template <typename CellOf>
  void add(const char* heading, CellOf cell_of, Align align = Align::Right) {
    table_.columns.push_back({heading, align});
    for (std::size_t row = 0; row < table_.rows.size(); ++row)
      table_.rows[row].push_back(cell_of(all_[row]));
  }

  void add_time(const char* heading, Seconds RankUse::*time) {
    constexpr Seconds kShown{5e-6};
    if (std::ranges::any_of(all_, [&](const RankUse& use) { return use.*time >= kShown; }))
      add(heading, [&](const RankUse& use) { return milliseconds(use.*time, decimals_); });
  }

  bool any(const std::function<bool(const RankUse&)>& tells) const {
    return std::ranges::any_of(all_, tells);
  }

  std::string text() const {
    const std::string more =
        all_.size() > kMostRanks ? fmt::format("and {} more\n", all_.size() - kMostRanks) : "";
    return render_in_parts(table_, 1) + more;
  }

 private:
  std::vector<RankUse> all_;
  int decimals_ = 2;
  Table table_;
};

/// What profilers tell of devices.
void add_device(const Diagnosis& diagnosis, RankColumns& columns) {
  const auto device_of = [&](const RankUse& use) -> const DeviceUse& {
    return diagnosis.ranks[use.rank].device;
  };
  if (columns.any([&](const RankUse& use) { return device_of(use).queued.has_value(); })) {
    columns.add("queued", [&](const RankUse& use) {
      const auto queued = device_of(use).queued;
      return queued ? fmt::format("{:.1f}", *queued) : std::string("-");
    });
    columns.add("no queue", [&](const RankUse& use) {
      const DeviceUse& device = device_of(use);
      return device.queued ? percent(device.queue_empty) : std::string("-");
    });
  }
  for (const auto& [heading, member] : {std::pair("allocated", &DeviceUse::allocated),
                                        std::pair("reserved", &DeviceUse::reserved)}) {
    const auto held = member;  // clang 14 lets no lambda capture a part of a structured binding
    if (columns.any([&](const RankUse& use) { return device_of(use).*held > Bytes{}; }))
      columns.add(heading, [&](const RankUse& use) {
        const Bytes bytes = device_of(use).*held;
        return bytes > Bytes{} ? format_bytes(bytes) : std::string("-");
      });
  }
}

}  // namespace

std::string render_ranks(const Diagnosis& diagnosis) {
  RankColumns columns(diagnosis.uses, diagnosis.recorded_step);
  const auto rank_of = [&](const RankUse& use) -> const JobRank& {
    return diagnosis.ranks[use.rank];
  };
  columns.add(
      "rank", [&](const RankUse& use) { return label_of(rank_of(use)); }, Align::Left);
  if (diagnosis.stages > 1) {
    columns.add("data", [&](const RankUse& use) { return std::to_string(rank_of(use).data); });
    columns.add("stage", [&](const RankUse& use) { return std::to_string(rank_of(use).stage); });
  }
  columns.add("slow-down", [](const RankUse& use) { return fmt::format("{:.4f}", use.slowdown); });
  columns.add_time("computing", &RankUse::computing);
  columns.add_time("comm", &RankUse::communicating);
  columns.add_time("exposed", &RankUse::exposed);
  constexpr double kShown = 0.0005;
  if (columns.any([](const RankUse& use) { return use.overlap().value_or(0) >= kShown; }))
    columns.add("overlap", [](const RankUse& use) {
      return use.overlap() ? percent(*use.overlap()) : std::string("-");
    });
  columns.add_time("copies", &RankUse::copies);
  columns.add_time("waiting", &RankUse::waiting);
  columns.add_time("host", &RankUse::idle_for_host);
  columns.add_time("other", &RankUse::other);
  columns.add_time("holding", &RankUse::holding);
  if (columns.any([](const RankUse& use) { return use.short_kernels.value_or(0) > 0; }))
    columns.add("<10 us", [](const RankUse& use) {
      return fmt::format("{:.0f}", use.short_kernels.value_or(0));
    });
  add_device(diagnosis, columns);
  return "\nWhere the time of ranks goes, ms a step, and their slow-down alone:\n" + columns.text();
}

}  // namespace stepcast
