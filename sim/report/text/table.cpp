#include "sim/report/text/table.hpp"

#include <algorithm>
#include <numeric>

namespace stepcast {

namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowGap = 1;  // of a table that would be too wide

bool begins_code_point(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

/// The first `width` code points.
std::string_view first_columns(std::string_view text, std::size_t width) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (begins_code_point(text[i]) && width-- == 0)
      return text.substr(0, i);
  return text;
}

struct Layout {
  std::vector<std::size_t> widths;
  std::size_t gap = kGap;
};

std::size_t total_width(const Layout& layout) {
  return std::accumulate(layout.widths.begin(), layout.widths.end(), std::size_t{0}) +
         layout.gap * (layout.widths.empty() ? 0 : layout.widths.size() - 1);
}

Layout natural_layout(const Table& table) {
  Layout layout;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t width = width_of(table.columns[c].heading);
    for (const auto& row : table.rows)
      width = std::max(width, width_of(row[c]));
    layout.widths.push_back(width);
  }
  return layout;
}

Layout layout_of(const Table& table) {
  Layout layout = natural_layout(table);
  if (total_width(layout) > report_width())
    layout.gap = kNarrowGap;
  constexpr std::size_t kLeastFirst = 8;
  const std::size_t total = total_width(layout);
  if (total > report_width() && layout.widths[0] > kLeastFirst)
    layout.widths[0] -= std::min(total - report_width(), layout.widths[0] - kLeastFirst);
  return layout;
}

void append_cell(std::string& line, std::string_view cell, std::size_t width, Align align) {
  const std::string text = shortened(cell, width);
  const std::string padding(width - width_of(text), ' ');
  line += align == Align::Left ? text : padding;
  line += align == Align::Left ? padding : text;
}

std::string line_of(const std::vector<std::string>& cells, const Table& table,
                    const Layout& layout) {
  std::string line;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    line.append(c == 0 ? 0 : layout.gap, ' ');
    append_cell(line, cells[c], layout.widths[c], table.columns[c].align);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line += '\n';
}

/// Appends column `c` of one table to another of as many rows.
void add_column(Table& to, const Table& from, std::size_t c) {
  to.columns.push_back(from.columns[c]);
  to.rows.resize(from.rows.size());
  for (std::size_t row = 0; row < from.rows.size(); ++row)
    to.rows[row].push_back(from.rows[row][c]);
}

Table first_columns_of(const Table& table, std::size_t count) {
  Table first;
  for (std::size_t c = 0; c < count; ++c)
    add_column(first, table, c);
  return first;
}

}  // namespace

namespace {

std::size_t& current_width() {
  static std::size_t width = 100;
  return width;
}

}  // namespace

std::size_t report_width() {
  return current_width();
}

void set_report_width(std::size_t columns) {
  current_width() = std::max<std::size_t>(columns, 40);
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_code_point));
}

std::string render(const Table& table) {
  const Layout layout = layout_of(table);
  std::vector<std::string> headings;
  std::vector<std::string> rules;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    headings.push_back(table.columns[c].heading);
    rules.emplace_back(layout.widths[c], '-');
  }
  std::string out = line_of(headings, table, layout) + line_of(rules, table, layout);
  for (const auto& row : table.rows)
    out += line_of(row, table, layout);
  return out;
}

std::size_t natural_width(const Table& table) {
  return total_width(natural_layout(table));
}

std::string render_in_parts(const Table& table, std::size_t kept) {
  const Table first = first_columns_of(table, kept);
  std::string out;
  Table part = first;
  for (std::size_t c = kept; c < table.columns.size(); ++c) {
    Table wider = part;
    add_column(wider, table, c);
    if (natural_width(wider) > report_width() && part.columns.size() > kept) {
      out += render(part) + "\n";
      wider = first;
      add_column(wider, table, c);
    }
    part = std::move(wider);
  }
  return out + render(part);
}

std::string wrap(std::string_view text, std::size_t indent) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t space = text.find(' ', std::min(text.find_first_not_of(' '), text.size()));
    const std::string_view word = text.substr(0, space);
    if (column > 0 && column + width_of(word) > report_width()) {
      out += '\n';
      out.append(indent, ' ');
      column = indent + width_of(word) - 1;
      out += word.substr(1);
    } else {
      out += word;
      column += width_of(word);
    }
    text.remove_prefix(word.size());
  }
  return out += '\n';
}

std::string shortened(std::string_view text, std::size_t width) {
  if (width_of(text) <= width)
    return std::string(text);
  return std::string(first_columns(text, width - 1)).append("…");
}

}  // namespace stepcast
