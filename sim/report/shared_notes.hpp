#pragma once

#include <string>
#include <vector>

namespace stepcast {

/// Notes of several forecasts: each once, with all that it is about.
class SharedNotes {
 public:
  void add(const std::string& about, const std::vector<std::string>& notes);

  /// "Note on A, B: sentence" in the order in which they came, wrapped; empty if there are none.
  std::string text() const;
  /// The sentences alone.
  std::vector<std::string> sentences() const;

 private:
  struct Entry {
    std::string note;
    std::vector<std::string> about;
  };
  std::vector<Entry> entries_;
};

}  // namespace stepcast
