#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stepcast {

/// Text for a terminal or a picture: names come from files of others, and an escape sequence in one
/// could rewrite what the terminal shows. Control characters but line feed and tab, and the marks
/// that turn the direction of writing, become "?". Valid UTF-8 stays valid.
std::string printable(std::string_view text);

/// A cell of a CSV file: printable, quoted where it must be; what a spreadsheet would take for a
/// formula begins with an apostrophe (numbers and a lone "-" stay).
std::string csv_cell(std::string_view text);

/// A line of a CSV file.
std::string csv_line(const std::vector<std::string>& cells);

/// The shortest text that reads back as the number.
std::string csv_number(double value);

}  // namespace stepcast
