#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stepcast {

enum class Align { Left, Right };

struct Column {
  std::string heading;
  Align align = Align::Right;
};

/// Plain text in aligned columns, for a terminal.
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  ///< As many cells each as there are columns.
};

/// Every report fits a terminal of so many columns: 100 unless set_report_width() was told that the
/// terminal has others.
std::size_t report_width();
/// At least 40.
void set_report_width(std::size_t columns);

/// Heading, rule and rows, columns two spaces apart, no trailing spaces. Columns of a table wider
/// than report_width() are one space apart, and if that is not enough its first column is shortened
/// with "…".
std::string render(const Table& table);

/// Columns that a table takes where nothing is shortened or moved together.
std::size_t natural_width(const Table& table);

/// Renders a table that is wider than report_width() as several, one below the other. Each has the
/// first `kept` columns and as many of the others as fit.
std::string render_in_parts(const Table& table, std::size_t kept);

/// Columns that a UTF-8 text takes on a terminal, one for each code point.
std::size_t width_of(std::string_view text);

/// A UTF-8 text of at most `width` columns, at least 1; "…" stands for what is left out.
std::string shortened(std::string_view text, std::size_t width);

/// `text` broken at spaces into lines of at most report_width() columns; the lines after the first
/// begin with `indent` spaces. Ends in a newline.
std::string wrap(std::string_view text, std::size_t indent);

}  // namespace stepcast
