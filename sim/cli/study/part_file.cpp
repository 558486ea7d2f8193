#include "sim/cli/study/part_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/mix.hpp"
#include "models/base/text.hpp"
#include "sim/forecast/forecast_text.hpp"

namespace stepcast {
namespace {

using nlohmann::ordered_json;

std::string dumped(const ordered_json& line) {
  return line.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

ordered_json line_of(const Sweep& sweep, std::uint32_t number) {
  const Combination& combination = sweep.combinations[number];
  ordered_json line{{"place", sweep.place_of(number)}, {"baseline", combination.baseline}};
  line["cells"] = ordered_json::array();
  for (const Cell& cell : combination.cells)
    line["cells"].push_back({cell.name, cell.value});
  return line;
}

/// "" for a scenario that is refused, as whoever forecasts it will say.
std::string key_or_none(const Sweep& sweep, const Combination& combination) try {
  return key_of(sweep, combination);
} catch (const InputError&) {
  return "";
}

}  // namespace

Shard parse_shard(const std::string& text) try {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos)
    throw InputError("");
  const Shard shard{.number = parse_count(text.substr(0, slash), 1),
                    .of = parse_count(text.substr(slash + 1), 1)};
  if (shard.number > shard.of || shard.of > 1'000'000)
    throw InputError("");
  return shard;
} catch (const InputError&) {
  throw InputError(
      fmt::format("--shard: expected a number and how many there are, such as 1/8 to 8/8, found {}",
                  in_quotes(text)));
}

SweepPlaces places_of(const Shard& shard) {
  return {.first = shard.number - 1, .step = shard.of};
}

std::string study_of(const SweepRequest& request) {
  SweepRequest none = request;
  none.places.most = 0;
  const Sweep sweep = plan_sweep(none);
  std::uint64_t hash = sweep.whole;
  const auto add = [&](const std::string& text) {
    hash = mixed(hash, text.size());
    for (const char c : text)
      hash = mixed(hash, static_cast<unsigned char>(c));
  };
  for (const SweepAxis& axis : request.axes) {
    add(axis.name);
    for (const std::string& value : axis.values)
      add(value);
  }
  for (std::uint32_t i = 0; i < sweep.scenarios.size(); ++i) {
    for (const std::string& schedule : sweep.schedules[i])
      add(schedule);
    Combination first;
    first.scenario = i;
    first.schedule = sweep.schedules[i].front();
    add(key_or_none(sweep, first));
  }
  return fmt::format("{:016x}", hash);
}

std::string part_head(const std::string& study, const Shard& shard, const Sweep& sweep,
                      bool keep_going) {
  return dumped({{"format", "stepcast-part"},
                 {"program", STEPCAST_VERSION},
                 {"layout", forecast_layout()},
                 {"study", study},
                 {"shard", shard.number},
                 {"of", shard.of},
                 {"combinations", sweep.whole},
                 {"has_lists", sweep.has_lists},
                 {"keep_going", keep_going}});
}

std::string part_line(const Sweep& sweep, std::uint32_t combination, const Forecast& forecast) {
  ordered_json line = line_of(sweep, combination);
  line["forecast"] = flat_json(forecast);
  return dumped(line);
}

std::string part_line(const Sweep& sweep, std::uint32_t combination, const SweepText& refused) {
  ordered_json line = line_of(sweep, combination);
  line["refused"] = refused.refusal;
  if (refused.died)
    line["died"] = true;
  return dumped(line);
}

std::string part_end() {
  return dumped({{"end", true}});
}

}  // namespace stepcast
