#pragma once

#include <string>
#include <vector>

namespace stepcast {

/// Notes of several forecasts: each once, with all that it is about.
class SharedNotes {
 public:
  void add(const std::string& about, const std::vector<std::string>& notes);

  /// "Note on A, B: sentence" in the order in which they came, wrapped; empty if there are none.
  /// Of more than `most` notes those after the first are only counted.
  std::string text(std::size_t most = kAll) const;
  /// The sentences alone.
  std::vector<std::string> sentences() const;

 private:
  static constexpr auto kAll = static_cast<std::size_t>(-1);

  struct Entry {
    std::string note;
    std::vector<std::string> about;
  };
  std::vector<Entry> entries_;
};

/// One forecast of many and its notes. `labels` name parts of the whole that it belongs to, the
/// largest first: "dear", "64 GPUs".
struct NotedForecast {
  std::vector<std::string> labels;
  std::vector<std::string> notes;
};

/// How many notes of many forecasts a text shows.
inline constexpr std::size_t kMostNotes = 8;

/// The notes of all forecasts, each said of the largest part all of which has it: of everything
/// first, else of the forecasts of a label, in the order of the labels.
SharedNotes shared_notes_of(const std::vector<NotedForecast>& forecasts);

}  // namespace stepcast
