#include "sim/forecast/forecast_text.hpp"

#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/fields.hpp"
#include "models/base/ranges.hpp"
#include "models/base/text_key.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

// Last enumerators.
std::uint32_t last_of(Fidelity /*of*/) {
  return static_cast<std::uint32_t>(Fidelity::Step);
}
std::uint32_t last_of(ProvenanceKind /*of*/) {
  return static_cast<std::uint32_t>(ProvenanceKind::Assumed);
}
std::uint32_t last_of(NoteKind /*of*/) {
  return static_cast<std::uint32_t>(kLastNoteKind);
}

// What a forecast may hold. Its times are differences and sums of those that inputs may hold: they
// may miss 0 by rounding and reach what all tasks of a step may take.
constexpr double kRounding = 1e-6;
constexpr PlausibleRange kForecastTime{-kRounding, kLongestWork.value, true,
                                       "a time from 0 to 1e12 s"};
constexpr PlausibleRange kForecastSize{-kRounding, 1e21, true, "a size of at most 1e21 B"};
constexpr PlausibleRange kForecastRate{0, 1e21, true, "a bandwidth of at most 1e21 B/s"};

/// Takes what flat_json() wrote, in the same order. The file may be anybody's.
class FlatReader {
 public:
  FlatReader(const json& flat, const std::string& origin) : flat_(flat), origin_(origin) {}

  template <class T>
  void read(T& value) {
    if constexpr (HasFields<T>)
      for_each_field(value, [this](auto& field) { this->read(field); });
    else if constexpr (std::is_enum_v<T>)
      value = static_cast<T>(number_up_to<std::uint32_t>(last_of(value)));
    else if constexpr (std::same_as<T, bool>)
      value = next(&json::is_boolean, "true or false").template get<bool>();
    else if constexpr (std::is_floating_point_v<T>)
      value = number_in(kNumberRange);
    else
      value = number_up_to<T>(std::numeric_limits<T>::max());
  }

  void read(Seconds& time) { time.value = number_in(kForecastTime); }
  void read(Bytes& size) { size.value = number_in(kForecastSize); }
  void read(BytesPerSecond& rate) { rate.value = number_in(kForecastRate); }

  void read(std::string& text) { text = next(&json::is_string, "a text").get<std::string>(); }

  template <class Item>
  void read(std::vector<Item>& items) {
    items.resize(length());
    for (Item& item : items)
      read(item);
  }

  void read(ScheduleOptions& options) {
    for (std::size_t count = length(); count > 0; --count) {
      std::string name;
      read(name);
      read(options[name]);
    }
  }

  void finish() const {
    if (at_ != flat_.size())
      fail("the end");
  }

 private:
  const json& next(bool (json::*is_right)() const noexcept, const char* what) {
    if (at_ >= flat_.size() || !(flat_[at_].*is_right)())
      fail(what);
    return flat_[at_++];
  }
  double number_in(const PlausibleRange& range) {
    const double number = next(&json::is_number, range.words).get<double>();
    if (!range.contains(number)) {
      --at_;
      fail(range.words);
    }
    return number;
  }
  template <class T>
  T number_up_to(T most) {
    const json& number = next(&json::is_number_unsigned, "a whole number");
    if (number.get<std::uint64_t>() > most) {
      --at_;
      fail("a smaller number");
    }
    return number.get<T>();
  }
  std::size_t length() { return number_up_to<std::size_t>(flat_.size() - at_); }
  [[noreturn]] void fail(const char* what) const {
    throw InputError(fmt::format("{}: /forecast/{}: expected {}{}", origin_, at_, what, found()));
  }
  std::string found() const {
    return at_ < flat_.size() ? ", found " + shown(flat_[at_]) : std::string();
  }

  const json& flat_;
  const std::string& origin_;
  std::size_t at_ = 0;
};

/// Types of all fields as FlatReader reads them, one letter each.
class LayoutWriter {
 public:
  template <class T>
  void write(const T& value) {
    if constexpr (HasFields<const T>)
      for_each_field(value, [this](const auto& field) { this->write(field); });
    else if constexpr (std::is_enum_v<T>)
      text_ += fmt::format("e{}", last_of(value));
    else if constexpr (std::same_as<T, bool>)
      text_ += 'b';
    else if constexpr (std::is_floating_point_v<T>)
      text_ += 'f';
    else
      text_ += fmt::format("n{}", sizeof(T));
  }
  void write(const Seconds& /*time*/) { text_ += 't'; }
  void write(const Bytes& /*size*/) { text_ += 's'; }
  void write(const BytesPerSecond& /*rate*/) { text_ += 'r'; }
  void write(const std::string& /*text*/) { text_ += 'w'; }
  template <class Item>
  void write(const std::vector<Item>& /*items*/) {
    text_ += '[';
    write(Item{});
    text_ += ']';
  }
  void write(const ScheduleOptions& /*options*/) { text_ += 'o'; }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Reports print these names as they are, many times. The same limit as that of a workload file.
constexpr std::size_t kLongestName = 1024;

void check_names_of_others(const Forecast& forecast, const std::string& origin) {
  for (const auto& [name, what] : {std::pair{&forecast.workload, "workload"},
                                   {&forecast.cluster, "cluster"},
                                   {&forecast.schedule, "schedule"},
                                   {&forecast.device, "device"}})
    if (name->size() > kLongestName)
      throw InputError(
          fmt::format("{}: /forecast: expected a name of a {} of at most {} bytes, found {} bytes",
                      origin, what, kLongestName, name->size()));
}

/// Rates and shares: a report would show a link that is used by less than nothing.
void check_rates_of_others(const Forecast& forecast, const std::string& origin) {
  const ProtocolReport& protocol = forecast.protocol;
  const auto expect = [&](double number, const char* what) {
    if (number < 0)
      throw InputError(
          fmt::format("{}: /forecast: expected {} of at least 0, found {}", origin, what, number));
  };
  for (const LinkLoad& link : forecast.links)
    expect(link.utilisation, "a utilisation of a link");
  expect(protocol.iterations_per_s, "a number of iterations per second");
  expect(protocol.slowest_iterations_per_s, "a number of iterations per second");
  for (const std::vector<double>* shares : {&protocol.gaps, &protocol.staleness})
    for (const double share : *shares)
      expect(share, "a share of iterations");
}

/// What reports divide by, and what no forecast is without.
void check_forecast_of_others(const Forecast& forecast, const std::string& origin) {
  const auto expect = [&](bool holds, const char* what) {
    if (!holds)
      throw InputError(fmt::format("{}: /forecast: expected {}", origin, what));
  };
  for (const Seconds time : {forecast.iteration_time, forecast.worst_iteration_time})
    expect(time > Seconds{} && kTimeRange.contains(time.value),
           "a step that takes from 1e-15 s to 1e9 s");
  for (const auto& [count, what] : {std::pair{forecast.batch, "a batch of at least 1"},
                                    {forecast.nodes, "at least 1 node"},
                                    {forecast.gpus_per_node, "at least 1 GPU per node"},
                                    {forecast.gpus, "at least 1 GPU"},
                                    {forecast.workers, "at least 1 worker"},
                                    {forecast.passes, "at least 1 pass"},
                                    {forecast.steps, "a period of at least 1 step"}})
    expect(count >= 1, what);
  expect(forecast.likely_low <= forecast.likely_high, "a likely range from low to high");
  expect(forecast.throughput > 0 && forecast.scaling_efficiency >= 0,
         "a throughput above 0 and an efficiency of at least 0");
}

}  // namespace

json flat_json(const Forecast& forecast) {
  json flat = json::array();
  for_each_leaf(forecast, [&]<class Leaf>(const Leaf& leaf) {
    if constexpr (std::is_enum_v<Leaf>)
      flat.push_back(static_cast<std::uint32_t>(leaf));
    else
      flat.push_back(leaf);
  });
  return flat;
}

std::string forecast_layout() {
  static const std::string kLayout = [] {
    LayoutWriter layout;
    layout.write(Forecast{});
    return key_of_text(layout.text());
  }();
  return kLayout;
}

Forecast forecast_from_flat(const json& flat, const std::string& origin) {
  if (!flat.is_array())
    throw InputError(origin + ": /forecast: expected an array");
  FlatReader reader(flat, origin);
  Forecast forecast;
  reader.read(forecast);
  reader.finish();
  check_forecast_of_others(forecast, origin);
  check_names_of_others(forecast, origin);
  check_rates_of_others(forecast, origin);
  return forecast;
}

}  // namespace stepcast
