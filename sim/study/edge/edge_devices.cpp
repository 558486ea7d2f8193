#include <algorithm>
#include <array>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/study/edge/edge_round.hpp"
#include "traces/csv_line.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

constexpr std::array kColumns{"device", "work_flops", "speed_flops_per_s", "size_bytes",
                              "rate_bytes_per_s"};
constexpr std::size_t kMostDevices = 100'000;
constexpr double kMost = 1e24;
constexpr double kMostSeconds = 1e9;

/// One table, line by line.
class DeviceReader {
 public:
  explicit DeviceReader(const std::string& origin) : origin_(origin) {}

  std::vector<EdgeDevice> read(std::string_view text) && {
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
      ++line_;
      if (line.empty() || line.front() == '#' || line == "\r")
        continue;
      if (places_.empty())
        read_heading(csv_values(line));
      else
        add(csv_values(line));
    }
    if (devices_.empty())
      throw InputError(fmt::format("{}: expected a line of the columns {} and one for each device",
                                   origin_, fmt::join(kColumns, ", ")));
    return std::move(devices_);
  }

 private:
  [[noreturn]] void fail(const std::string& column, const std::string& why) const {
    throw InputError(fmt::format("{}: line {}: {}: {}", origin_, line_, column, why));
  }

  void read_heading(const std::vector<std::string>& names) {
    for (const char* column : kColumns) {
      const auto place = std::ranges::find(names, column);
      if (place == names.end())
        fail(column, "expected a column of this name");
      places_.push_back(static_cast<std::size_t>(place - names.begin()));
    }
  }

  const std::string& text(std::size_t column, const std::vector<std::string>& cells) const {
    if (places_[column] >= cells.size() || cells[places_[column]].empty())
      fail(kColumns[column], "missing");
    return cells[places_[column]];
  }

  double number(std::size_t column, const std::vector<std::string>& cells, bool may_be_0) const {
    const std::string& cell = text(column, cells);
    try {
      const double value = parse_number(cell);
      if (value <= kMost && (may_be_0 ? value >= 0 : value > 0))
        return value;
    } catch (const InputError&) {  // said better below
    }
    fail(kColumns[column], fmt::format("expected a number {} 0 and at most {}, found {}",
                                       may_be_0 ? "of at least" : "above", kMost, in_quotes(cell)));
  }

  void add(const std::vector<std::string>& cells) {
    if (devices_.size() == kMostDevices)
      fail(kColumns[0], fmt::format("expected at most {} devices", kMostDevices));
    const double work = number(1, cells, true), speed = number(2, cells, false);
    const double size = number(3, cells, true), rate = number(4, cells, false);
    for (const auto& [column, seconds] : {std::pair{2, work / speed}, {4, size / rate}})
      if (!(seconds <= kMostSeconds))
        fail(kColumns[static_cast<std::size_t>(column)],
             fmt::format("expected a rate at which a round takes at most {:g} s, found {:g}",
                         kMostSeconds, seconds));
    devices_.push_back({.name = text(0, cells),
                        .compute = Seconds{work / speed},
                        .size = Bytes{size},
                        .rate = BytesPerSecond{rate}});
  }

  const std::string& origin_;
  std::size_t line_ = 0;
  std::vector<std::size_t> places_;  // of the columns
  std::vector<EdgeDevice> devices_;
};

}  // namespace

std::vector<EdgeDevice> read_edge_devices(const std::filesystem::path& path) {
  return parse_edge_devices(read_text_file(path), path.string());
}

std::vector<EdgeDevice> parse_edge_devices(std::string_view text, const std::string& origin) {
  return DeviceReader(origin).read(text);
}

}  // namespace stepcast
