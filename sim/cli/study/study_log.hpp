#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/cli/command_option.hpp"
#include "sim/study/sweep/sweep.hpp"

namespace stepcast {

/// What a user wants of a study while it runs, as typed.
struct StudyFiles {
  std::string csv;         ///< A table, whose rows are appended in their order.
  std::string json_lines;  ///< A line for each result, in the order in which they end.
  std::string resume;      ///< The same file of an earlier run, which this one goes on from.
  bool keep_going = false;
};

std::vector<CommandOption> options_of(StudyFiles& files);

/// Throws InputError for options that contradict each other.
void check_study_files(const StudyFiles& files);

/// Lines at the end of a file, each written at once: whatever ends the process, those written are
/// there and whole. Who appends looks at check() after it: a study whose rows nobody keeps ends.
class GrowingFile {
 public:
  GrowingFile() = default;  ///< Writes nothing.
  /// After what `path` holds, but for a last line that was never finished.
  explicit GrowingFile(std::string path);
  ~GrowingFile();
  GrowingFile(GrowingFile&& other) noexcept;
  GrowingFile& operator=(GrowingFile&& other) noexcept;

  void append(const std::string& line);
  /// Throws InputError if a line could not be written.
  void check() const;

 private:
  std::string path_;
  int file_ = -1;
  int error_ = 0;
};

class ObjectReader;

/// Reads the lines of a file that a study wrote, which may be anybody's: each that is whole is one
/// object. Throws InputError naming file and line.
using LineTaker = std::function<void(ObjectReader& line, const std::string& origin)>;
void for_each_line(const std::string& path, const LineTaker& take);

/// Writes down what a sweep finds as it finds it.
class StudyLog {
 public:
  /// Throws InputError if a file cannot be read or written.
  StudyLog(const Sweep& sweep, const StudyFiles& files);

  /// What the file of --resume knows of this sweep.
  const std::map<std::uint32_t, Forecast>& known() const { return known_; }
  /// Throws InputError if a file could not take it.
  void add(std::uint32_t combination, const SweepResult& result);
  /// Rows that waited for one before them, which will not come any more; throws InputError if a
  /// file could not take all.
  void finish();

 private:
  void add_to_table(std::uint32_t combination, const SweepResult& result);
  void add_row(std::uint32_t combination);
  void read_known(const std::string& path);

  const Sweep& sweep_;
  std::map<std::uint32_t, Forecast> known_;
  std::vector<SweepResult> results_;  ///< For the table; empty: there is none.
  std::vector<bool> there_;
  std::uint32_t next_ = 0;  ///< The first without a row.
  bool with_refusals_ = false;
  std::vector<std::string> keys_;
  GrowingFile csv_;
  GrowingFile lines_;
};

}  // namespace stepcast
