#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traces/formats/log_text.hpp"

namespace stepcast {

/// A table as text in UTF-8: a heading, then rows of as many cells, in double quotes where they
/// hold commas. Lines that begin with '#' say something about it and count as none.
class CsvTable {
 public:
  /// `text` must outlive the table. Throws InputError for a text without a heading, or with bytes
  /// that are not UTF-8.
  CsvTable(std::string_view text, std::string origin);
  CsvTable(const CsvTable&) = delete;
  CsvTable& operator=(const CsvTable&) = delete;

  const std::vector<std::string>& columns() const { return columns_; }
  bool has(std::string_view column) const;
  /// The place of a column. Throws InputError naming the columns that are there.
  std::size_t column(std::string_view name) const;
  /// Steps to the next row; false at the end. Throws InputError for a row of another length.
  bool next();
  std::string_view cell(std::size_t column) const { return cells_[column]; }
  /// Throw InputError `<origin>:<line>: <column>: expected a number, found "x"`.
  double number(std::size_t column) const;
  std::int64_t whole(std::size_t column, std::int64_t least) const;
  [[noreturn]] void fail(std::size_t column, std::string_view expected) const;
  std::string where() const;

 private:
  bool read_line();
  void split();

  std::string_view rest_;
  std::string origin_;
  std::size_t line_ = 0;
  std::string_view text_;
  std::vector<std::string> columns_;
  std::vector<std::string> quoted_;  // what cells of a line with quotes refer to
  std::vector<std::string_view> cells_;
};

/// The values of a line of a CSV table. A comma within double quotes is none, two double quotes
/// there are one, and a carriage return is dropped.
std::vector<std::string> csv_values(std::string_view line);

}  // namespace stepcast
