#include "sim/report/shared_notes.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/report/table.hpp"

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

std::string SharedNotes::text() const {
  std::string text;
  for (const Entry& entry : entries_)
    text += wrap(fmt::format("Note on {}: {}", fmt::join(entry.about, ", "), entry.note), 2);
  return text;
}

std::vector<std::string> SharedNotes::sentences() const {
  std::vector<std::string> sentences;
  for (const Entry& entry : entries_)
    sentences.push_back(entry.note);
  return sentences;
}

}  // namespace stepcast
