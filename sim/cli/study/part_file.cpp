#include "sim/cli/study/part_file.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/mix.hpp"
#include "models/base/text.hpp"
#include "sim/study/forecast_text.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kFormat = "stepcast-part";

/// The same for all parts of a study: its inputs and settings by the first combination of each
/// scenario, and what varies.
std::string study_of(const Sweep& sweep) {
  std::uint64_t hash = sweep.combinations.size();
  const auto add = [&](const std::string& text) {
    for (const char c : text)
      hash = mixed(hash, static_cast<unsigned char>(c));
  };
  std::optional<std::uint32_t> scenario;
  for (const Combination& combination : sweep.combinations) {
    add(name_of(combination));
    if (combination.scenario != scenario)
      try {
        add(key_of(sweep, combination));
        scenario = combination.scenario;
      } catch (const InputError&) {  // it is refused, as whoever forecasts it will say
      }
  }
  return fmt::format("{:016x}", hash);
}

ordered_json line_of(const Combination& combination, std::uint32_t place,
                     const SweepResult& result) {
  ordered_json line{{"place", place}, {"baseline", combination.baseline}};
  line["cells"] = ordered_json::array();
  for (const Cell& cell : combination.cells)
    line["cells"].push_back({cell.name, cell.value});
  if (result.forecast)
    line["forecast"] = flat_json(*result.forecast);
  else
    line["refused"] = result.refusal;
  if (result.died)
    line["died"] = true;
  return line;
}

struct Head {
  std::string study;
  Shard shard;
  std::uint32_t combinations = 0;
  bool has_lists = false;
  bool keep_going = false;
};

Head head_of(ObjectReader reader) {
  if (const std::string version = reader.text("program"); version != STEPCAST_VERSION)
    reader.fail("program", fmt::format("expected a part by stepcast {}, found one by {}",
                                       STEPCAST_VERSION, in_quotes(version)));
  constexpr std::uint64_t kMost = 1'000'000;
  Head head{.study = reader.text("study")};
  for (const auto& [key, target] :
       {std::pair{"shard", &head.shard.number}, std::pair{"of", &head.shard.of},
        std::pair{"combinations", &head.combinations}}) {
    const std::uint64_t number = reader.count(key, 1);
    if (number > kMost)
      reader.fail(key, fmt::format("expected at most {}, found {}", kMost, number));
    *target = static_cast<std::uint32_t>(number);
  }
  head.has_lists = reader.raw("has_lists") == true;
  head.keep_going = reader.raw("keep_going") == true;
  return head;
}

/// Gathers parts, each of which it reads line by line.
class Merger {
 public:
  void read(const std::string& file) {
    std::istringstream lines(read_text_file(file));
    std::string line;
    std::getline(lines, line);
    add_head(file, parsed(file, line));
    for (std::size_t number = 2; std::getline(lines, line); ++number) {
      const json value = parsed(file, line);
      ObjectReader reader(value, fmt::format("{}: line {}", file, number));
      if (reader.has("end"))
        return;
      add_line(reader, file);
    }
    throw InputError(file + ": its end is missing: the part is not whole");
  }

  MergedStudy partial() && { return std::move(study_); }

  MergedStudy merged() && {
    std::vector<std::uint32_t> missing;
    for (std::uint32_t shard = 1; shard <= head_->shard.of; ++shard)
      if (!files_.contains(shard))
        missing.push_back(shard);
    if (!missing.empty())
      throw InputError(fmt::format("shard{} {} of {} {} missing", missing.size() > 1 ? "s" : "",
                                   fmt::join(missing, ", "), head_->shard.of,
                                   missing.size() > 1 ? "are" : "is"));
    if (there_ < head_->combinations)
      throw InputError(fmt::format("{} of {} combinations are in none of the parts",
                                   head_->combinations - there_, head_->combinations));
    return std::move(study_);
  }

 private:
  static json parsed(const std::string& file, const std::string& line) {
    json value = parse_json(line, file);
    if (!value.is_object())
      throw InputError(file + ": expected a part of a study (see stepcast compare --shard)");
    return value;
  }

  void add_head(const std::string& file, const json& value) {
    ObjectReader reader(value, file);
    if (!reader.has("format") || reader.text("format") != kFormat)
      throw InputError(file + ": expected a part of a study (see stepcast compare --shard)");
    const Head head = head_of(reader);
    if (!head_) {
      head_ = head;
      study_.sweep.has_lists = head.has_lists;
      study_.keep_going = head.keep_going;
      study_.sweep.combinations.resize(head.combinations);
      study_.results.resize(head.combinations);
    }
    if (head.study != head_->study || head.shard.of != head_->shard.of ||
        head.combinations != head_->combinations || head.keep_going != head_->keep_going)
      throw InputError(fmt::format("{}: is a part of another study than {}, or of other shards",
                                   file, files_.begin()->second));
    if (const auto [same, is_new] = files_.emplace(head.shard.number, file); !is_new)
      throw InputError(fmt::format("{}: shard {} of {} is there twice: also in {}", file,
                                   head.shard.number, head.shard.of, same->second));
    shard_ = head.shard;
  }

  void add_line(ObjectReader& reader, const std::string& file) {
    const std::uint64_t place = reader.count("place", 0);
    const std::uint64_t baseline = reader.count("baseline", 0);
    if (place >= head_->combinations || place % shard_.of + 1 != shard_.number ||
        baseline > place || !study_.sweep.combinations[place].cells.empty())
      reader.fail("place", fmt::format("expected another place in shard {} of {}", shard_.number,
                                       shard_.of));
    Combination& combination = study_.sweep.combinations[place];
    combination.baseline = static_cast<std::uint32_t>(baseline);
    for (const json& cell : reader.raw("cells")) {
      if (!cell.is_array() || cell.size() != 2 || !cell[0].is_string() || !cell[1].is_string())
        reader.fail("cells", "expected pairs of a name and a value");
      combination.cells.push_back({cell[0].get<std::string>(), cell[1].get<std::string>()});
    }
    if (combination.cells.empty())
      reader.fail("cells", "expected pairs of a name and a value");
    SweepResult& result = study_.results[place];
    if (reader.has("forecast"))
      result.forecast = forecast_from_flat(reader.raw("forecast"), file);
    else
      result.refusal = reader.text("refused");
    result.died = reader.has("died");
    ++there_;
  }

  std::optional<Head> head_;
  Shard shard_;
  std::map<std::uint32_t, std::string> files_;  ///< By shard.
  MergedStudy study_;
  std::uint32_t there_ = 0;
};

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

ShardedSweep shard_of(const Sweep& sweep, const Shard& shard) {
  ShardedSweep part{.sweep = {.scenarios = sweep.scenarios, .has_lists = sweep.has_lists}};
  for (auto place = shard.number - 1; place < sweep.combinations.size(); place += shard.of) {
    part.sweep.combinations.push_back(sweep.combinations[place]);
    part.places.push_back(place);
  }
  return part;
}

std::string part_text(const Sweep& whole, const ShardedSweep& part, const Shard& shard,
                      const std::vector<SweepResult>& results, bool keep_going) {
  const auto dumped = [](const ordered_json& line) {
    return line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  };
  std::string text = dumped({{"format", kFormat},
                             {"program", STEPCAST_VERSION},
                             {"study", study_of(whole)},
                             {"shard", shard.number},
                             {"of", shard.of},
                             {"combinations", whole.combinations.size()},
                             {"has_lists", whole.has_lists},
                             {"keep_going", keep_going}});
  for (std::size_t i = 0; i < results.size(); ++i)
    text += dumped(line_of(part.sweep.combinations[i], part.places[i], results[i]));
  return text + dumped({{"end", true}});
}

MergedStudy merged_study(const std::vector<std::string>& files, bool partial) {
  if (files.empty())
    throw InputError("merge: expected the parts of a study: stepcast merge part-*");
  Merger merger;
  for (const std::string& file : files)
    merger.read(file);
  return partial ? std::move(merger).partial() : std::move(merger).merged();
}

}  // namespace stepcast
