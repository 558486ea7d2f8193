#include <array>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/study/edge/edge_round.hpp"
#include "traces/csv_table.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

constexpr std::array kColumns{"device", "work_flops", "speed_flops_per_s", "size_bytes",
                              "rate_bytes_per_s"};
constexpr const char* kStart = "start_s";  // may be left out
constexpr std::size_t kMostDevices = 100'000;
constexpr double kMost = 1e24;
constexpr double kMostSeconds = 1e9;

/// The columns of a table, found once.
class DeviceRow {
 public:
  explicit DeviceRow(const CsvTable& table) : table_(table) {
    for (std::size_t i = 0; i < kColumns.size(); ++i)
      places_[i] = table.column(kColumns[i]);
    has_start_ = table.has(kStart);
    if (has_start_)
      places_.back() = table.column(kStart);
  }

  EdgeDevice device() const {
    const std::string_view name = table_.cell(places_[0]);
    if (name.empty())
      table_.fail(places_[0], "a name");
    const double work = number(1, true), speed = number(2, false);
    const double size = number(3, true), rate = number(4, false);
    for (const auto& [column, seconds] :
         {std::pair<std::size_t, double>{2, work / speed}, {4, size / rate}})
      if (!(seconds <= kMostSeconds))
        table_.fail(places_[column],
                    fmt::format("a rate at which a round takes at most {:g} s", kMostSeconds));
    return {.name = std::string(name),
            .compute = Seconds{work / speed},
            .size = Bytes{size},
            .rate = BytesPerSecond{rate},
            .start = start()};
  }

 private:
  Seconds start() const {
    const double seconds = has_start_ ? number(kColumns.size(), true) : 0;
    if (!(seconds <= kMostSeconds))
      table_.fail(places_.back(), fmt::format("at most {:g} s", kMostSeconds));
    return Seconds{seconds};
  }

  double number(std::size_t column, bool may_be_0) const {
    const double value = table_.number(places_[column]);
    if (!(value <= kMost) || value < 0 || (value == 0 && !may_be_0))
      table_.fail(places_[column], fmt::format("a number {} 0 and at most {:g}",
                                               may_be_0 ? "of at least" : "above", kMost));
    return value;
  }

  const CsvTable& table_;
  std::array<std::size_t, kColumns.size() + 1> places_{};
  bool has_start_ = false;
};

}  // namespace

std::vector<EdgeDevice> read_edge_devices(const std::filesystem::path& path) {
  return parse_edge_devices(read_text_file(path), path.string());
}

std::vector<EdgeDevice> parse_edge_devices(std::string_view text, const std::string& origin) {
  CsvTable table(text, origin);
  const DeviceRow row(table);
  std::vector<EdgeDevice> devices;
  while (table.next()) {
    if (devices.size() == kMostDevices)
      throw InputError(fmt::format("{}: expected at most {} devices", table.where(), kMostDevices));
    devices.push_back(row.device());
  }
  if (devices.empty())
    throw InputError(origin + ": expected a line for each device, found none");
  return devices;
}

}  // namespace stepcast
