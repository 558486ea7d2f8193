#include "traces/formats/kineto/layers/joined_layers.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

// What two steps have in common is the longest common subsequence of the kinds of their layers,
// behind what they begin with and before what they end with alike: O(n m) in the layers between.
// Steps of which more than kMostLayers lie between are taken for other work.

namespace stepcast {
namespace {

constexpr double kSameWork = 0.1;  // Share of the computation that two steps may differ by.
constexpr std::size_t kMostLayers = 5000;

using Layers = std::vector<LayerTimes>;
using Matches = LayerMatches;

/// Modules have names of their own; operators are numbered by kind.
bool is_of_one_kind(const LayerTimes& one, const LayerTimes& other) {
  return one.kind == other.kind;
}

/// Of the layers from `first` on, `ones` of one list and `others` of the other.
void match_between(const Layers& one, const Layers& other, std::size_t first, std::size_t ones,
                   std::size_t others, Matches& matches) {
  const std::size_t width = others + 1;
  std::vector<std::uint16_t> longest((ones + 1) * width);  // Behind a place of either.
  for (std::size_t i = ones; i-- > 0;)
    for (std::size_t j = others; j-- > 0;)
      longest[i * width + j] =
          is_of_one_kind(one[first + i], other[first + j])
              ? static_cast<std::uint16_t>(longest[(i + 1) * width + j + 1] + 1)
              : std::max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
  for (std::size_t i = 0, j = 0; i < ones && j < others;) {
    if (is_of_one_kind(one[first + i], other[first + j]))
      matches.emplace_back(first + i++, first + j++);
    else
      longest[(i + 1) * width + j] >= longest[i * width + j + 1] ? ++i : ++j;
  }
}

}  // namespace

std::optional<LayerMatches> matches_of(const Layers& one, const Layers& other) {
  const std::size_t least = std::min(one.size(), other.size());
  std::size_t first = 0;
  while (first < least && is_of_one_kind(one[first], other[first]))
    ++first;
  std::size_t last = 0;
  while (last < least - first &&
         is_of_one_kind(one[one.size() - 1 - last], other[other.size() - 1 - last]))
    ++last;
  const std::size_t ones = one.size() - first - last;
  const std::size_t others = other.size() - first - last;
  if (std::max(ones, others) > kMostLayers)
    return std::nullopt;
  Matches matches;
  for (std::size_t i = 0; i < first; ++i)
    matches.emplace_back(i, i);
  match_between(one, other, first, ones, others, matches);
  for (std::size_t i = last; i > 0; --i)
    matches.emplace_back(one.size() - i, other.size() - i);
  return matches;
}

namespace {

/// Of the passes. The update is that of several steps where gradients are accumulated.
Seconds passes_time(const LayerTimes& layer) {
  return layer.forward + layer.backward;
}

Seconds passes_time(const Layers& layers) {
  Seconds sum{};
  for (const LayerTimes& layer : layers)
    sum += passes_time(layer);
  return sum;
}

/// What `one` has and `other` lacks of two layers of one kind.
Seconds lacked_time(const LayerTimes& one, const LayerTimes& other) {
  return (other.forward > Seconds{} ? Seconds{} : one.forward) +
         (other.backward > Seconds{} ? Seconds{} : one.backward);
}

}  // namespace

bool does_same_work(const Layers& one, const Layers& other) {
  const auto matches = matches_of(one, other);
  if (!matches)
    return false;
  const Seconds all_of_one = passes_time(one);
  const Seconds all_of_other = passes_time(other);
  Seconds more_of_one = all_of_one;
  Seconds more_of_other = all_of_other;
  for (const auto& [i, j] : *matches) {
    more_of_one += lacked_time(one[i], other[j]) - passes_time(one[i]);
    more_of_other += lacked_time(other[j], one[i]) - passes_time(other[j]);
  }
  return more_of_one <= all_of_one * kSameWork && more_of_other <= all_of_other * kSameWork;
}

namespace {

/// By step, the first one that does the same work.
std::vector<std::size_t> first_alike(const std::vector<StepLayers>& steps) {
  std::vector<std::size_t> first(steps.size());
  for (std::size_t step = 0; step < steps.size(); ++step) {
    first[step] = step;
    for (std::size_t other = 0; other < step; ++other)
      if (first[other] == other && does_same_work(steps[other].layers, steps[step].layers)) {
        first[step] = other;
        break;
      }
  }
  return first;
}

/// Of two numbers of steps as large those that compute more: the others are parts of a step.
void keep_most(std::vector<StepLayers>& steps, ImportReport& report) {
  const std::vector<std::size_t> first = first_alike(steps);
  std::map<std::size_t, std::size_t> counts;
  for (const std::size_t step : first)
    ++counts[step];
  const auto rank = [&](const auto& entry) {
    return std::pair(entry.second, passes_time(steps[entry.first].layers));
  };
  const auto most = std::ranges::max_element(counts, {}, rank);
  const char* const than =
      2 * most->second > steps.size() ? "most" : "the largest number that are alike";
  std::vector<StepLayers> kept;
  for (std::size_t step = 0; step < steps.size(); ++step)
    if (first[step] == most->first)
      kept.push_back(std::move(steps[step]));
    else
      report.skip(fmt::format("step with other work than {}", than),
                  fmt::format("step {}", steps[step].step));
  steps = std::move(kept);
}

/// The step whose gradients, layer by layer, are those of most; of as many the one of more.
std::size_t usual_gradients(const std::vector<StepLayers>& steps) {
  std::map<std::vector<std::size_t>, std::vector<std::size_t>> by_counts;
  std::map<std::size_t, std::size_t> sums;
  for (std::size_t step = 0; step < steps.size(); ++step) {
    std::vector<std::size_t> counts;
    for (const LayerTimes& layer : steps[step].layers) {
      counts.push_back(layer.gradients.size());
      sums[step] += layer.gradients.size();
    }
    by_counts[counts].push_back(step);
  }
  const auto most = std::ranges::max_element(by_counts, {}, [&](const auto& entry) {
    return std::pair(entry.second.size(), sums[entry.second.front()]);
  });
  return most->second.front();
}

LayerTimes without_work(const LayerTimes& layer) {
  return {.name = layer.name, .kind = layer.kind};
}

/// The layers of both, in order: those of `base`, and each that `other` alone has behind what it
/// follows there.
Layers with_layers_of(const Layers& base, const Layers& other, const Matches& matches) {
  Layers all;
  std::size_t next = 0;
  const auto add_others_up_to = [&](std::size_t end) {
    for (; next < end; ++next)
      all.push_back(without_work(other[next]));
  };
  auto match = matches.begin();
  for (std::size_t place = 0; place < base.size(); ++place) {
    if (match != matches.end() && match->first == place) {
      add_others_up_to(match->second);
      next = match->second + 1;
      ++match;
    }
    all.push_back(without_work(base[place]));
  }
  add_others_up_to(other.size());
  return all;
}

/// Of two layers of one name, as of one that some steps alone have, the later is renamed.
void name_apart(Layers& layers) {
  std::set<std::string> names;
  for (LayerTimes& layer : layers) {
    const std::string name = layer.name;
    for (int use = 2; !names.insert(layer.name).second; ++use)
      layer.name = fmt::format("{} ({})", name, use);
  }
}

/// The step with all of these layers.
void give_all(const Layers& all, StepLayers& step) {
  const Matches matches = matches_of(all, step.layers).value_or(Matches());
  Layers layers = all;
  for (const auto& [place, own] : matches) {
    std::string name = layers[place].name;
    layers[place] = std::move(step.layers[own]);
    layers[place].name = std::move(name);
  }
  step.layers = std::move(layers);
}

bool have_same_layers(const std::vector<StepLayers>& steps) {
  return std::ranges::all_of(steps, [&](const StepLayers& step) {
    return std::ranges::equal(step.layers, steps.front().layers, {}, &LayerTimes::name,
                              &LayerTimes::name);
  });
}

}  // namespace

void join_layers(std::vector<StepLayers>& steps, ImportReport& report) {
  keep_most(steps, report);
  const Layers gradients = steps[usual_gradients(steps)].layers;
  if (!have_same_layers(steps)) {
    Layers all = gradients;
    for (const StepLayers& step : steps)
      if (const auto matches = matches_of(all, step.layers))
        all = with_layers_of(all, step.layers, *matches);
    name_apart(all);
    for (StepLayers& step : steps)
      give_all(all, step);
  }
  StepLayers usual{.layers = gradients};
  give_all(steps.front().layers, usual);
  for (StepLayers& step : steps)
    for (std::size_t place = 0; place < step.layers.size(); ++place)
      step.layers[place].gradients = usual.layers[place].gradients;
}

}  // namespace stepcast
