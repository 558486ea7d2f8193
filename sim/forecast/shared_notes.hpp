#pragma once

#include <string>
#include <vector>

#include "models/base/note.hpp"

namespace stepcast {

/// Notes of several forecasts: each once, with all that it is about.
class SharedNotes {
 public:
  void add(const std::string& about, const Notes& notes);

  struct Entry {
    Note note;
    std::vector<std::string> about;
  };
  /// In the order in which they came.
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

/// One forecast of many and its notes. `labels` name parts of the whole that it belongs to, the
/// largest first: "dear", "64 GPUs".
struct NotedForecast {
  std::vector<std::string> labels;
  Notes notes;
};

/// The notes of all forecasts, each said of the largest part all of which has it: of everything
/// first, else of the forecasts of a label, in the order of the labels.
SharedNotes shared_notes_of(const std::vector<NotedForecast>& forecasts);

}  // namespace stepcast
