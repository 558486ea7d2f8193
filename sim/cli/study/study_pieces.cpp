#include "sim/cli/study/study_pieces.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "models/base/archive.hpp"
#include "models/base/error.hpp"
#include "sim/cli/progress.hpp"
#include "sim/report/json/sweep_json.hpp"
#include "sim/workers/stop.hpp"

// Workers make the text of their combinations, which is most of the work beside the forecasts;
// this process puts the texts one after the other. Costs a fork of each worker for each piece.

namespace stepcast {
namespace {

constexpr std::uint32_t kPiece = 2048;  // combinations; some 10 MB of text

using TextOf = std::function<std::string(const Sweep&, std::uint32_t, const Forecast&)>;
using Take = std::function<void(const Sweep&, std::uint32_t, const SweepText&)>;

/// Hands over what `text` made of each combination, in order; the first piece may be empty.
void for_each_piece(SweepRequest request, const PieceRules& rules, const TextOf& text,
                    const std::function<void(const Sweep& first)>& begin, const Take& take) {
  request.places.most = kPiece;
  std::optional<Progress> progress;
  for (bool more = true; more && stop_signal() == 0;) {
    const Sweep piece = plan_sweep(request);
    if (!progress) {
      begin(piece);
      const std::uint32_t left = piece.whole - std::min(piece.whole, piece.places.first);
      progress.emplace("forecast", (left + piece.places.step - 1) / piece.places.step);
    }
    if (!piece.combinations.empty())  // there may be more shards than combinations
      rules.check(piece);
    const auto texts = sweep_texts(
        piece,
        {.workers = rules.workers,
         .keep_going = rules.keep_going,
         .progress = [&] { progress->step(); }},
        [&](std::uint32_t number, const Forecast& found) { return text(piece, number, found); });
    for (std::uint32_t i = 0; i < texts.size(); ++i)
      take(piece, i, texts[i]);
    more = piece.combinations.size() == kPiece;
    request.places.first = piece.place_of(piece.combinations.size());
  }
}

}  // namespace

PiecedStudy study_json_in_pieces(SweepRequest request, const PieceRules& rules) {
  PiecedStudy study;
  SweepJson json;
  std::uint32_t rows = 0;
  for_each_piece(
      std::move(request), rules,
      [](const Sweep& piece, std::uint32_t number, const Forecast& forecast) {
        return bytes_of(row_text_of(piece.combinations[number].cells, forecast));
      },
      [&](const Sweep& first) { study.whole = first.whole; },
      [&](const Sweep& piece, std::uint32_t number, const SweepText& found) {
        const Combination& combination = piece.combinations[number];
        study.died = study.died || found.died;
        if (!found.text.empty()) {
          json.add(from_bytes<SweepRowText>(found.text), combination.baseline);
          ++rows;
        } else if (!found.refusal.empty()) {
          json.refuse(combination.cells, found.refusal);
        }
      });
  study.missing = study.whole - rows;
  study.text = std::move(json).finish();
  return study;
}

PiecedStudy part_in_pieces(SweepRequest request, const Shard& shard, const PieceRules& rules) {
  PiecedStudy study;
  request.places = places_of(shard);
  const std::string hash = study_of(request);
  PieceRules all = rules;  // what is refused the part says, and whoever merges it
  all.keep_going = true;
  for_each_piece(
      std::move(request), all,
      [](const Sweep& piece, std::uint32_t number, const Forecast& forecast) {
        return part_line(piece, number, forecast);
      },
      [&](const Sweep& first) {
        study.whole = first.whole;
        study.text.append(part_head(hash, shard, first, rules.keep_going));
      },
      [&](const Sweep& piece, std::uint32_t number, const SweepText& found) {
        study.died = study.died || found.died;
        study.text.append(found.text.empty() ? part_line(piece, number, found) : found.text);
      });
  study.text.append(part_end());
  return study;
}

}  // namespace stepcast
