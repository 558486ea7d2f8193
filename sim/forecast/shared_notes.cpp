#include "sim/forecast/shared_notes.hpp"

#include <algorithm>

namespace stepcast {

void SharedNotes::add(const std::string& about, const Notes& notes) {
  for (const Note& note : notes) {
    auto entry = std::ranges::find(entries_, note, &Entry::note);
    if (entry == entries_.end())
      entry = entries_.insert(entries_.end(), {note, {}});
    if (std::ranges::count(entry->about, about) == 0)
      entry->about.push_back(about);
  }
}

namespace {

template <class Item>
bool has(const std::vector<Item>& items, const Item& item) {
  return std::ranges::find(items, item) != items.end();
}

bool all_have(const std::vector<NotedForecast>& forecasts, const Note& note) {
  return std::ranges::all_of(forecasts,
                             [&](const NotedForecast& each) { return has(each.notes, note); });
}

bool all_of_label_have(const std::vector<NotedForecast>& forecasts, const std::string& label,
                       const Note& note) {
  return std::ranges::all_of(forecasts, [&](const NotedForecast& each) {
    return !has(each.labels, label) || has(each.notes, note);
  });
}

/// The label that says it best: the last where no other is true of all its forecasts.
std::size_t level_of(const std::vector<NotedForecast>& forecasts, const NotedForecast& forecast,
                     const Note& note) {
  std::size_t level = 0;
  while (level + 1 < forecast.labels.size() &&
         !all_of_label_have(forecasts, forecast.labels[level], note))
    ++level;
  return level;
}

void add_common(SharedNotes& shared, const std::vector<NotedForecast>& forecasts) {
  for (const Note& note : forecasts.front().notes)
    if (all_have(forecasts, note))
      shared.add("all", {note});
}

void add_level(SharedNotes& shared, const std::vector<NotedForecast>& forecasts,
               std::size_t level) {
  for (const NotedForecast& forecast : forecasts)
    for (const Note& note : forecast.notes)
      if (!all_have(forecasts, note) && level_of(forecasts, forecast, note) == level)
        shared.add(forecast.labels[level], {note});
}

}  // namespace

SharedNotes shared_notes_of(const std::vector<NotedForecast>& forecasts) {
  SharedNotes shared;
  if (forecasts.size() == 1)
    shared.add(forecasts.front().labels.back(), forecasts.front().notes);
  if (forecasts.size() < 2)
    return shared;
  add_common(shared, forecasts);
  for (std::size_t level = 0; level < forecasts.front().labels.size(); ++level)
    add_level(shared, forecasts, level);
  return shared;
}

}  // namespace stepcast
