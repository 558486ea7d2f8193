#include "sim/study/goodput/fault_file.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "traces/csv_table.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

constexpr double kDay = 86400;
constexpr double kMostDays = 100'000;
constexpr std::uint32_t kMostServers = 1'000'000;
constexpr std::array kColumns{"start_day", "end_day", "server"};

/// One CSV file, line by line.
class FaultReader {
 public:
  FaultReader(const std::string& path, std::optional<std::uint32_t> servers)
      : path_(path), servers_(servers), text_(read_text_file(path)), table_(text_, path) {
    for (std::size_t i = 0; i < kColumns.size(); ++i)
      places_[i] = table_.column(kColumns[i]);
  }

  RecordedFleet read(std::optional<double> days) {
    while (table_.next())
      read_fault();
    return finished(days);
  }

 private:
  void read_fault() {
    const double begin = table_.number(places_[0]), end = table_.number(places_[1]);
    const double server = table_.number(places_[2]);
    if (begin < 0 || begin > kMostDays)
      table_.fail(places_[0], fmt::format("a day from 0 to {}", kMostDays));
    if (end < begin || end > kMostDays)
      table_.fail(places_[1], fmt::format("a day from start_day {} to {}", begin, kMostDays));
    if (server < 0 || server >= kMostServers || server != static_cast<std::uint32_t>(server))
      table_.fail(places_[2], "a whole number from 0 on");
    if (servers_ && server >= *servers_)
      table_.fail(places_[2], fmt::format("one of the fleet's servers, 0 to {}", *servers_ - 1));
    fleet_.outages.push_back({static_cast<std::uint32_t>(server), {begin * kDay}, {end * kDay}});
  }

  RecordedFleet finished(std::optional<double> days) {
    if (fleet_.outages.empty())
      throw InputError(path_ + ": holds no fault");
    std::ranges::stable_sort(fleet_.outages, {}, &Outage::begin);
    if (days && *days > kMostDays)
      throw InputError(fmt::format("`days`: expected at most {} days, found {}", kMostDays, *days));
    const Seconds last = fleet_.outages.back().begin;
    fleet_.length = days ? Seconds{*days * kDay} : last;
    if (fleet_.length < last || fleet_.length <= Seconds{})
      throw InputError(
          fmt::format("`days`: the last fault of {} is on day {}", path_, last.value / kDay));
    std::uint32_t highest = 0;
    for (const Outage& outage : fleet_.outages)
      highest = std::max(highest, outage.node);
    fleet_.servers = servers_.value_or(highest + 1);
    return std::move(fleet_);
  }

  const std::string& path_;
  std::optional<std::uint32_t> servers_;
  std::string text_;
  CsvTable table_;
  std::array<std::size_t, kColumns.size()> places_{};
  RecordedFleet fleet_;
};

}  // namespace

RecordedFleet read_fleet(const std::string& path, std::optional<std::uint32_t> servers,
                         std::optional<double> days) {
  if (servers.value_or(0) > kMostServers)
    throw InputError(
        fmt::format("`servers`: expected at most {}, found {}", kMostServers, *servers));
  return FaultReader(path, servers).read(days);
}

}  // namespace stepcast
