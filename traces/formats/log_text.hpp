#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stepcast {

/// A line of a log and its number, from 1.
struct LogLine {
  std::string_view text;
  std::size_t number = 0;
  std::string where() const { return "line " + std::to_string(number); }
};

/// Lines without their ends ("\n" or "\r\n").
std::vector<LogLine> lines_of(std::string_view text);

/// The words of a line, split at blanks.
std::vector<std::string_view> words_of(std::string_view line);

/// The whole word as a finite number; none for anything else ("N/A", "12x", "inf").
std::optional<double> find_number(std::string_view word);

/// Lower case, letters only: "All_Reduce-perf" becomes "allreduceperf".
std::string letters_of(std::string_view text);

/// A log without the labels that launchers put before every line: "12: " of `srun -l`,
/// "[1,0]<stdout>:" of `mpirun --tag-output`, a time. The label's form is what stands before the
/// heading of the benchmark's table; on other lines its letters and digits may differ.
/// Lines without such a label stay as they are, and so does a log whose heading has none. Line
/// numbers stay.
std::string without_labels(std::string_view text);

}  // namespace stepcast
