#include "traces/csv_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/ranges.hpp"
#include "models/base/split.hpp"
#include "models/base/text.hpp"
#include "models/base/utf8.hpp"

namespace stepcast {

namespace {

// Of what a message shows.
constexpr std::size_t kLongestHeading = 400;
constexpr std::size_t kLongestName = 60;

}  // namespace

CsvTable::CsvTable(std::string_view text, std::string origin)
    : rest_(text), origin_(std::move(origin)) {
  if (!read_line())
    throw InputError(origin_ + ": expected a heading with the names of the columns, found nothing");
  if (text_.find('\0') != std::string_view::npos)
    throw InputError(origin_ + ": expected a heading with the names of the columns, found no text");
  check_utf8(text, origin_);
  split();
  columns_.assign(cells_.begin(), cells_.end());
}

bool CsvTable::has(std::string_view column) const {
  return std::ranges::find(columns_, column) != columns_.end();
}

std::size_t CsvTable::column(std::string_view name) const {
  const auto found = std::ranges::find(columns_, name);
  if (found == columns_.end())
    throw InputError(
        fmt::format("{}: expected a column {}, found {}", origin_, name,
                    abridged(fmt::format("{}", fmt::join(columns_, ", ")), kLongestHeading)));
  return static_cast<std::size_t>(found - columns_.begin());
}

bool CsvTable::next() {
  if (!read_line())
    return false;
  if (text_.find('\0') != std::string_view::npos)
    throw InputError(fmt::format("{}: expected text, found a byte of 0", where()));
  split();
  if (cells_.size() != columns_.size())
    throw InputError(fmt::format("{}: expected {} cells, as the heading has, found {}", where(),
                                 columns_.size(), cells_.size()));
  return true;
}

// The next line that is neither blank nor a remark.
bool CsvTable::read_line() {
  while (!rest_.empty()) {
    const std::size_t end = rest_.find('\n');
    text_ = trimmed(rest_.substr(0, end));
    rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
    ++line_;
    if (!text_.empty() && text_.front() != '#')
      return true;
  }
  return false;
}

void CsvTable::split() {
  cells_.clear();
  if (text_.find('"') != std::string_view::npos) {
    quoted_ = csv_values(text_);
    cells_.assign(quoted_.begin(), quoted_.end());
    return;
  }
  for (std::string_view left = text_;;) {
    const std::size_t comma = left.find(',');
    cells_.push_back(trimmed(left.substr(0, comma)));
    if (comma == std::string_view::npos)
      return;
    left.remove_prefix(comma + 1);
  }
}

double CsvTable::number(std::size_t column) const {
  const std::string_view text = cells_[column];
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    fail(column, "a number");
  if (!kNumberRange.contains(value))
    fail(column, kNumberRange.words);
  return value;
}

std::int64_t CsvTable::whole(std::size_t column, std::int64_t least) const {
  const std::string_view text = cells_[column];
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr std::int64_t kMost = 2'000'000'000;
  if (error != std::errc{} || end != text.data() + text.size() || value < least || value > kMost)
    fail(column, fmt::format("a whole number from {} on", least));
  return value;
}

void CsvTable::fail(std::size_t column, std::string_view expected) const {
  throw InputError(fmt::format("{}: {}: expected {}, found {}", where(),
                               abridged(columns_[column], kLongestName), expected,
                               in_quotes(cells_[column])));
}

std::string CsvTable::where() const {
  return fmt::format("{}:{}", origin_, line_);
}

std::vector<std::string> csv_values(std::string_view line) {
  std::vector<std::string> values(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      values.back() += line[i++];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      values.emplace_back();
    else if (c != '\r')
      values.back() += c;
  }
  return values;
}

}  // namespace stepcast
