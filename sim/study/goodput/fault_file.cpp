#include "sim/study/goodput/fault_file.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/csv_line.hpp"
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
      : path_(path), servers_(servers) {}

  RecordedFleet read(std::optional<double> days) {
    std::istringstream text(read_text_file(path_));
    for (std::string line; std::getline(text, line);) {
      ++line_;
      if (line.empty() || line.front() == '#' || line == "\r")
        continue;
      if (places_.empty())
        read_heading(csv_values(line));
      else
        read_fault(csv_values(line));
    }
    if (places_.empty())
      fail("start_day", "expected a line of column names, found none");
    return finished(days);
  }

 private:
  [[noreturn]] void fail(const char* column, const std::string& why) const {
    throw InputError(fmt::format("{}: line {}: {}: {}", path_, line_, column, why));
  }

  void read_heading(const std::vector<std::string>& names) {
    for (const char* column : kColumns) {
      const auto place = std::ranges::find(names, column);
      if (place == names.end())
        fail(column, "expected a column of this name");
      places_.push_back(static_cast<std::size_t>(place - names.begin()));
    }
  }

  void read_fault(const std::vector<std::string>& cells) {
    const auto number = [&](std::size_t column) {
      if (places_[column] >= cells.size())
        fail(kColumns[column], "missing");
      try {
        return parse_number(cells[places_[column]]);
      } catch (const InputError& error) {
        fail(kColumns[column], error.what());
      }
    };
    const double begin = number(0), end = number(1), server = number(2);
    if (begin < 0 || begin > kMostDays)
      fail(kColumns[0], fmt::format("expected a day from 0 to {}, found {}", kMostDays, begin));
    if (end < begin || end > kMostDays)
      fail(kColumns[1],
           fmt::format("expected a day from start_day {} to {}, found {}", begin, kMostDays, end));
    if (server < 0 || server >= kMostServers || server != static_cast<std::uint32_t>(server))
      fail(kColumns[2], fmt::format("expected a whole number from 0 on, found {}", server));
    if (servers_ && server >= *servers_)
      fail(kColumns[2],
           fmt::format("the fleet has servers 0 to {}, found {}", *servers_ - 1, server));
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
  std::uint32_t line_ = 0;
  std::vector<std::size_t> places_;  // of the columns
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
