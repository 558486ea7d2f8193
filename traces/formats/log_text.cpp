#include "traces/formats/log_text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace stepcast {

std::vector<LogLine> lines_of(std::string_view text) {
  std::vector<LogLine> lines;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    lines.push_back({line, ++number});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\v\f\r";
  std::vector<std::string_view> words;
  for (std::size_t begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos;
       begin = line.find_first_not_of(kBlanks, begin)) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = end;
    if (begin == line.size())
      break;
  }
  return words;
}

std::optional<double> find_number(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool whole = error == std::errc{} && end == word.data() + word.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string letters_of(std::string_view text) {
  std::string letters;
  for (const char c : text)
    if (std::isalpha(static_cast<unsigned char>(c)))
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return letters;
}

namespace {

constexpr auto kNone = std::string_view::npos;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

std::size_t end_of_run(std::string_view text, std::size_t at, bool (*is)(char)) {
  while (at < text.size() && is(text[at]))
    ++at;
  return at;
}

/// Where the heading of a table of nccl-tests, OSU or ib_write_bw begins in a line; none if the
/// line is no heading. That of nccl-tests may have lost its "#".
std::size_t begin_of_heading(std::string_view line) {
  if (const std::size_t column = line.find("algbw");
      column != kNone && line.find("busbw") != kNone) {
    const std::size_t size = line.rfind("size", column);
    return size == kNone ? kNone : line.substr(0, size).find_last_not_of(" \t#\\") + 1;
  }
  const std::size_t hash = line.find('#');
  const std::string_view rest = hash == kNone ? std::string_view{} : line.substr(hash);
  return rest.starts_with("# OSU ") || rest.starts_with("#bytes") ? hash : kNone;
}

/// What stands before the first heading; empty if only blanks do.
std::string_view label_in(std::string_view text) {
  for (const LogLine& line : lines_of(text)) {
    const std::size_t begin = begin_of_heading(line.text);
    if (begin == kNone)
      continue;
    const std::string_view label = line.text.substr(0, begin);
    return label.find_first_not_of(" \t") == kNone ? std::string_view{} : label;
  }
  return {};
}

/// Where the label ends in `line`; none if the line has not one of that form.
std::size_t end_of_label(std::string_view line, std::string_view label) {
  std::size_t at = end_of_run(line, 0, is_blank);
  std::size_t of = end_of_run(label, 0, is_blank);
  while (of < label.size()) {
    const auto run = is_blank(label[of]) ? is_blank : is_word(label[of]) ? is_word : nullptr;
    if (!run && (at == line.size() || line[at] != label[of]))
      return kNone;
    const std::size_t end = run ? end_of_run(line, at, run) : at + 1;
    if (run == is_word && end == at)
      return kNone;
    at = end;
    of = run ? end_of_run(label, of, run) : of + 1;
  }
  return at;
}

}  // namespace

std::string without_labels(std::string_view text) {
  const std::string_view label = label_in(text);
  if (label.empty())
    return std::string(text);
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, size);
    const std::size_t end = end_of_label(line, label);
    plain += line.substr(end == kNone ? 0 : end);
    if (size < text.size())
      plain += '\n';
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return plain;
}

}  // namespace stepcast
