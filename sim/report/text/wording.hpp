#pragma once
// How all reports write the same things.

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/numbers.hpp"
#include "models/network/cluster.hpp"
#include "sim/engine/engine.hpp"
#include "sim/forecast/forecast.hpp"
#include "sim/forecast/likely_range.hpp"
#include "sim/forecast/shared_notes.hpp"

namespace stepcast {

/// "resnet50-rtx2080ti-bs64 on rtx2080ti-16x4-10gbe, 64 GPUs (16 x 4)"
std::string setup_of(std::string_view workload, std::string_view cluster, std::uint32_t nodes,
                     std::uint32_t gpus_per_node);
/// " of vgg16 on 10gbe, 64 GPUs, flow fidelity": what the forecasts of all rows share.
template <class Rows>
std::string shared_setup(const Rows& rows) {
  const Forecast& first = rows.front().forecast;
  const auto all = [&](auto field) {
    return std::ranges::all_of(
        rows, [&](const auto& row) { return row.forecast.*field == first.*field; });
  };
  return (all(&Forecast::workload) ? " of " + first.workload : "") +
         (all(&Forecast::cluster) ? " on " + first.cluster : "") +
         (all(&Forecast::gpus) ? ", " + gpus_in_words(first.gpus) : "") +
         (all(&Forecast::fidelity) ? std::string(", ") + name_of(first.fidelity) + " fidelity"
                                   : "");
}

/// ", 8 x 25 Gb/s a node" for a title; nothing on one node, and where a node has one adapter.
std::string adapters_in_title(const Cluster& cluster);
/// Returns setup_of() with adapters_in_title() and the fidelity: ", flow fidelity".
std::string setup_of(std::string_view workload, const Cluster& cluster, Fidelity fidelity);

/// The notes of a forecast of which only the mean step is printed: without what its iterations came
/// to, where they are steady.
Notes notes_on_mean(const Forecast& forecast);

/// How many notes of many forecasts a text shows.
inline constexpr std::size_t kMostNotes = 9;

/// "Note on A, B: sentence" for each, wrapped; empty if there are none. Of more than `most` notes
/// those after the first are only counted.
std::string text_of(const SharedNotes& notes, std::size_t most = static_cast<std::size_t>(-1));

/// "and 12 more", a line, below a table of which `shown` rows are there; nothing where all are.
std::string and_more(std::size_t all, std::size_t shown);

/// "a, b and 3 more": of many items the first ones.
std::string first_of(const std::vector<std::string>& items, std::size_t most);

/// "Doubtful: DOUBT." for each, wrapped.
std::string doubtful(const std::vector<std::string>& doubts);

/// What `name_of` returns of all items: each once, in the order of their first appearance.
template <class Items, class NameOf>
std::vector<std::string> distinct(const Items& items, NameOf name_of) {
  std::vector<std::string> names;
  for (const auto& each : items)
    if (const std::string& name = std::invoke(name_of, each);
        std::ranges::find(names, name) == names.end())
      names.push_back(name);
  return names;
}

/// An empty line, the heading and a "- " before each sentence; nothing if there are none.
std::string list_of(std::string_view heading, const std::vector<std::string>& sentences);

/// "likely range: 250.1 ms to 262.3 ms", a line; nothing where it is not known.
std::string likely_line(const LikelyStep& likely, std::string_view name = "likely range");

}  // namespace stepcast
