#include "sim/cli/study/merged_study.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/cli/study/file_lines.hpp"
#include "sim/cli/study/part_file.hpp"
#include "sim/forecast/forecast_text.hpp"
#include "traces/json/strict_json.hpp"

// Place p of a study is in part p mod n, and every part has its places in order: one line of each
// part in turn gives them all in order.

namespace stepcast {

using nlohmann::json;

/// A part, read line by line.
class PartReader {
 public:
  explicit PartReader(const std::string& file) : lines_(file), file_(file) {
    const auto line = lines_.next();
    const json value = line ? parsed(*line) : json();
    if (!value.is_object() || value.value("format", json()) != "stepcast-part")
      fail_as_no_part();
    read_head({value, file_});
    if (!lines_.ends_with(part_end()))
      throw InputError(file_ + ": its end is missing: the part is not whole");
  }

  std::string study{};
  std::uint32_t shard = 1, shards = 1, combinations = 0;
  bool has_lists = false, keep_going = false;

  const std::string& file() const { return file_; }

  void skip() { lines_.next(); }

  /// Reads the line of the place.
  void read(std::uint32_t place, Combination& combination, SweepResult& result) {
    const json value = next();
    const std::string origin = fmt::format("{}: line {}", file_, lines_.number());
    ObjectReader line(value, origin);
    if (line.has("end"))
      throw InputError(file_ + ": ends before its last combination");
    const std::uint64_t baseline = line.count("baseline", 0);
    if (line.count("place", 0) != place || baseline > place)
      line.fail("place", fmt::format("expected place {} in shard {} of {}", place, shard, shards));
    combination.baseline = static_cast<std::uint32_t>(baseline);
    for (const json& cell : line.raw("cells")) {
      if (!cell.is_array() || cell.size() != 2 || !cell[0].is_string() || !cell[1].is_string())
        line.fail("cells", "expected pairs of a name and a value");
      combination.cells.push_back({cell[0].get<std::string>(), cell[1].get<std::string>()});
    }
    if (combination.cells.empty())
      line.fail("cells", "expected pairs of a name and a value");
    if (line.has("forecast"))
      result.forecast = forecast_from_flat(line.raw("forecast"), origin);
    else
      result.refusal = line.text("refused");
    result.died = line.has("died");
  }

  void require_end() {
    if (!next().contains("end"))
      throw InputError(
          fmt::format("{}: line {}: expected the end of the part", file_, lines_.number()));
  }

 private:
  [[noreturn]] void fail_as_no_part() const {
    throw InputError(file_ + ": expected a part of a study (see stepcast compare --shard)");
  }

  json parsed(const std::string& line) const { return parse_line(line, file_, lines_.number()); }

  json next() {
    const auto line = lines_.next();
    if (!line)
      fail_as_no_part();
    json value = parsed(*line);
    if (!value.is_object())
      fail_as_no_part();
    return value;
  }

  void read_head(ObjectReader reader) {
    if (const std::string version = reader.text("program"); version != STEPCAST_VERSION)
      reader.fail("program", fmt::format("expected a part by stepcast {}, found one by {}",
                                         STEPCAST_VERSION, in_quotes(version)));
    if (!reader.has("layout") || reader.raw("layout") != forecast_layout())
      throw InputError(
          fmt::format("{}: was written by another build of stepcast {}, whose "
                      "forecasts have other fields; run this shard again",
                      file_, STEPCAST_VERSION));
    constexpr std::uint64_t kMost = 1'000'000;
    study = reader.text("study");
    for (const auto& [key, target] :
         {std::pair{"shard", &shard}, {"of", &shards}, {"combinations", &combinations}}) {
      const std::uint64_t number = reader.count(key, 1);
      if (number > kMost)
        reader.fail(key, fmt::format("expected at most {}, found {}", kMost, number));
      *target = static_cast<std::uint32_t>(number);
    }
    if (shard > shards)
      reader.fail("shard", fmt::format("expected at most {}, found {}", shards, shard));
    has_lists = reader.raw("has_lists") == true;
    keep_going = reader.raw("keep_going") == true;
  }

  FileLines lines_;
  std::string file_;
};

MergedStudy::MergedStudy(const std::vector<std::string>& files, bool partial) {
  if (files.empty())
    throw InputError("merge: expected the parts of a study: stepcast merge part-*");
  for (const std::string& file : files)
    add(file);
  if (!partial)
    require_all();
}

MergedStudy::~MergedStudy() = default;

void MergedStudy::add(const std::string& file) {
  auto part = std::make_unique<PartReader>(file);
  if (parts_.empty()) {
    study_ = part->study;
    shards_ = part->shards;
    combinations_ = part->combinations;
    has_lists_ = part->has_lists;
    keep_going_ = part->keep_going;
  }
  if (part->study != study_ || part->shards != shards_ || part->combinations != combinations_ ||
      part->keep_going != keep_going_)
    throw InputError(fmt::format("{}: is a part of another study than {}, or of other shards", file,
                                 parts_.begin()->second->file()));
  const std::uint32_t shard = part->shard;
  if (const auto [same, is_new] = parts_.try_emplace(shard, std::move(part)); !is_new)
    throw InputError(fmt::format("{}: shard {} of {} is there twice: also in {}", file, shard,
                                 shards_, same->second->file()));
}

void MergedStudy::require_all() const {
  std::vector<std::uint32_t> missing;
  for (std::uint32_t shard = 1; shard <= shards_; ++shard)
    if (!parts_.contains(shard))
      missing.push_back(shard);
  if (!missing.empty())
    throw InputError(fmt::format("shard{} {} of {} {} missing", missing.size() > 1 ? "s" : "",
                                 fmt::join(missing, ", "), shards_,
                                 missing.size() > 1 ? "are" : "is"));
}

void MergedStudy::read(std::uint32_t begin, std::uint32_t end, const Take& take) {
  for (; place_ < std::min(end, combinations_); ++place_) {
    const auto part = parts_.find(place_ % shards_ + 1);
    if (part == parts_.end())
      continue;
    if (place_ < begin) {
      part->second->skip();
      continue;
    }
    Combination combination;
    SweepResult result;
    part->second->read(place_, combination, result);
    take(place_, std::move(combination), std::move(result));
  }
  if (place_ == combinations_)
    for (const auto& [shard, part] : parts_)
      part->require_end();
}

MergedStudy::Held MergedStudy::held() {
  Held held{.sweep = {.has_lists = has_lists_}, .results = std::vector<SweepResult>(combinations_)};
  held.sweep.combinations.resize(combinations_);
  read(0, combinations_, [&](std::uint32_t place, Combination combination, SweepResult result) {
    held.sweep.combinations[place] = std::move(combination);
    held.results[place] = std::move(result);
  });
  return held;
}

}  // namespace stepcast
