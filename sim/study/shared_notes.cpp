#include "sim/study/shared_notes.hpp"

#include <algorithm>

namespace stepcast {

void SharedNotes::add(const std::string& about, const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    auto entry = std::ranges::find(entries_, note, &Entry::note);
    if (entry == entries_.end())
      entry = entries_.insert(entries_.end(), {note, {}});
    if (std::ranges::count(entry->about, about) == 0)
      entry->about.push_back(about);
  }
}

std::vector<std::string> SharedNotes::sentences() const {
  std::vector<std::string> sentences;
  for (const Entry& entry : entries_)
    sentences.push_back(entry.note);
  return sentences;
}

namespace {

bool has(const std::vector<std::string>& texts, const std::string& text) {
  return std::ranges::find(texts, text) != texts.end();
}

bool all_have(const std::vector<NotedForecast>& forecasts, const std::string& note) {
  return std::ranges::all_of(forecasts,
                             [&](const NotedForecast& each) { return has(each.notes, note); });
}

bool all_of_label_have(const std::vector<NotedForecast>& forecasts, const std::string& label,
                       const std::string& note) {
  return std::ranges::all_of(forecasts, [&](const NotedForecast& each) {
    return !has(each.labels, label) || has(each.notes, note);
  });
}

/// The label that says it best: the last where no other is true of all its forecasts.
std::size_t level_of(const std::vector<NotedForecast>& forecasts, const NotedForecast& forecast,
                     const std::string& note) {
  std::size_t level = 0;
  while (level + 1 < forecast.labels.size() &&
         !all_of_label_have(forecasts, forecast.labels[level], note))
    ++level;
  return level;
}

void add_common(SharedNotes& shared, const std::vector<NotedForecast>& forecasts) {
  for (const std::string& note : forecasts.front().notes)
    if (all_have(forecasts, note))
      shared.add("all", {note});
}

void add_level(SharedNotes& shared, const std::vector<NotedForecast>& forecasts,
               std::size_t level) {
  for (const NotedForecast& forecast : forecasts)
    for (const std::string& note : forecast.notes)
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
