#include "sim/report/table.hpp"

#include <algorithm>
#include <numeric>

namespace stepcast {

namespace {

constexpr std::size_t kGap = 2;

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

std::string shortened(std::string_view text, std::size_t width) {
  if (width_of(text) <= width)
    return std::string(text);
  return std::string(first_columns(text, width - 1)).append("…");
}

std::vector<std::size_t> widths_of(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t width = width_of(table.columns[c].heading);
    for (const auto& row : table.rows)
      width = std::max(width, width_of(row[c]));
    widths.push_back(width);
  }
  const std::size_t total = std::accumulate(widths.begin(), widths.end(), std::size_t{0}) +
                            kGap * (widths.empty() ? 0 : widths.size() - 1);
  constexpr std::size_t kLeastFirst = 8;
  if (total > kReportWidth && widths[0] > kLeastFirst)
    widths[0] -= std::min(total - kReportWidth, widths[0] - kLeastFirst);
  return widths;
}

void append_cell(std::string& line, std::string_view cell, std::size_t width, Align align) {
  const std::string text = shortened(cell, width);
  const std::string padding(width - width_of(text), ' ');
  line += align == Align::Left ? text : padding;
  line += align == Align::Left ? padding : text;
}

void append_line(std::string& out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line;
  out += '\n';
}

}  // namespace

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_code_point));
}

std::string render(const Table& table) {
  const std::vector<std::size_t> widths = widths_of(table);
  const std::string gap(kGap, ' ');
  std::string heading;
  std::string rule;
  for (std::size_t c = 0; c < widths.size(); ++c) {
    heading += c == 0 ? "" : gap;
    rule += c == 0 ? "" : gap;
    append_cell(heading, table.columns[c].heading, widths[c], table.columns[c].align);
    rule += std::string(widths[c], '-');
  }
  std::string out;
  append_line(out, std::move(heading));
  append_line(out, std::move(rule));
  for (const auto& row : table.rows) {
    std::string line;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      line += c == 0 ? "" : gap;
      append_cell(line, row[c], widths[c], table.columns[c].align);
    }
    append_line(out, std::move(line));
  }
  return out;
}

std::string wrap(std::string_view text, std::size_t indent) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t space = text.find(' ', std::min(text.find_first_not_of(' '), text.size()));
    const std::string_view word = text.substr(0, space);
    if (column > 0 && column + width_of(word) > kReportWidth) {
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

}  // namespace stepcast
