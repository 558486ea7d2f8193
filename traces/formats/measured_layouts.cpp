#include "traces/formats/measured_layouts.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/base/utf8.hpp"
#include "traces/csv_table.hpp"
#include "traces/json/strict_json.hpp"
#include "traces/named_files.hpp"

namespace stepcast {
namespace {

/// Says why a row cannot be used; the rows around it can.
class BadValue : public InputError {
 public:
  using InputError::InputError;
};

constexpr std::array kRequired{"set",         "model",         "layers",    "hidden",    "ffn",
                               "heads",       "kv_heads",      "seq",       "vocab",     "gpu",
                               "gpus",        "gpus_per_node", "tp",        "pp",        "dp",
                               "micro_batch", "global_batch",  "recompute", "attention", "sharding",
                               "precision",   "seconds"};

/// One row, by column.
class Row {
 public:
  Row(const std::vector<std::string>& columns, std::vector<std::string> values,
      const std::string& place) {
    if (values.size() != columns.size())
      throw InputError(
          fmt::format("{}: expected {} values, found {}", place, columns.size(), values.size()));
    for (std::size_t i = 0; i < columns.size(); ++i)
      values_[columns[i]] = std::move(values[i]);
  }

  /// Precondition: one of the columns, such as each of kRequired.
  const std::string& text(const std::string& column) const { return values_.at(column); }

  std::uint32_t count(const std::string& column) const {
    return parsed(column, [](const std::string& value) { return parse_count(value, 1); });
  }

  std::uint32_t count_or(const std::string& column, std::uint32_t fallback) const {
    const auto found = values_.find(column);
    return found == values_.end() || found->second.empty() ? fallback : count(column);
  }

  bool has(const std::string& column) const {
    const auto found = values_.find(column);
    return found != values_.end() && !found->second.empty();
  }

  double above_zero(const std::string& column) const {
    const double value = parsed(column, parse_number);
    if (value <= 0)
      fail(column, "a number above 0");
    return value;
  }

  Seconds seconds(const std::string& column) const {
    constexpr double kMost = 1e6;  // Eleven days: no step that anybody measures.
    const double value = parsed(column, parse_number);
    if (value <= 0 || value > kMost)
      fail(column, fmt::format("a time above 0 s and at most {} s", kMost));
    return {value};
  }

  /// Empty, for what the source does not state, or one of the words.
  const std::string& word(const std::string& column, const std::vector<std::string>& words) const {
    const std::string& value = text(column);
    if (!value.empty() && std::ranges::find(words, value) == words.end())
      fail(column, fmt::format("one of {}", fmt::join(words, ", ")));
    return value;
  }

  /// Of a file, it would be one that somebody else chose.
  const std::string& name(const std::string& column) const {
    if (is_path(text(column)))
      fail(column, "a name, not a path");
    return text(column);
  }

  /// None where the column is not there or empty.
  std::optional<bool> flag(const std::string& column) const {
    if (!has(column))
      return std::nullopt;
    return word(column, {"yes", "no"}) == "yes";
  }

  [[noreturn]] void fail(const std::string& column, const std::string& expected) const {
    throw BadValue(
        fmt::format("{}: expected {}, found {}", column, expected, in_quotes(text(column))));
  }

 private:
  template <class Parse>
  auto parsed(const std::string& column, Parse parse) const -> decltype(parse(std::string())) {
    const std::string& value = text(column);
    try {
      return parse(value);
    } catch (const InputError& error) {
      throw BadValue(fmt::format("{}: {}", column, error.what()));
    }
  }

  std::map<std::string, std::string> values_;
};

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// "zero1", "zero1:8" (shared by eight), "zero3:full_shard".
const std::string& sharding_of(const Row& row) {
  const std::string& value = row.text("sharding");
  const std::size_t colon = std::min(value.find(':'), value.size());
  const std::string kind = value.substr(0, colon);
  const std::string how = value.substr(colon);
  const bool known = value.empty() || value == "none" || kind == "zero0" || kind == "zero1" ||
                     kind == "zero2" || kind == "zero3";
  if (!known || !(how.empty() || how == ":all" || how == ":full_shard" ||
                  (kind == "zero1" && is_number(how.substr(1)))))
    row.fail("sharding", "none, zero0 to zero3, zero1:all, zero1:RANKS or zero3:full_shard");
  return value;
}

/// Columns that no forecast needs, but a reader of the table may trust.
void check_rest(const Row& row) {
  if (row.has("metric"))
    row.word("metric", {"seconds", "tokens_per_s", "tokens_per_s_per_gpu", "tflops_per_gpu"});
  if (row.has("value"))
    row.above_zero("value");
  if (row.has("framework")) {
    const std::string& name = row.text("framework");
    if (std::isalpha(static_cast<unsigned char>(name.front())) == 0 || name == "nan")
      row.fail("framework", "a name");
  }
}

std::optional<bool> learned_positions_of(const Row& row) {
  if (!row.has("positions"))
    return std::nullopt;
  return row.word("positions", {"learned", "rotary", "alibi", "relative", "none"}) == "learned";
}

MeasuredLayout case_of(const Row& row, const std::string& file, std::size_t line) {
  check_rest(row);
  MeasuredLayout read{.file = file,
                      .line = line,
                      .set = row.text("set"),
                      .model = row.text("model"),
                      .gpu = row.name("gpu"),
                      .recompute = row.word(
                          "recompute", {"none", "selective", "full", "selective+sequence-parallel",
                                        "full+sequence-parallel", "unstated"}),
                      .attention = row.word("attention", {"flash", "unfused"}),
                      .sharding = sharding_of(row),
                      .precision = row.text("precision"),
                      .layers = row.count("layers"),
                      .hidden = row.count("hidden"),
                      .ffn = row.count("ffn"),
                      .heads = row.count("heads"),
                      .kv_heads = row.count("kv_heads"),
                      .seq = row.count("seq"),
                      .vocab = row.count("vocab"),
                      .experts = row.count_or("experts", 1),
                      .top_k = row.count_or("top_k", 1),
                      .gpus = row.count("gpus"),
                      .gpus_per_node = row.count("gpus_per_node"),
                      .tensor = row.count("tp"),
                      .pipeline = row.count("pp"),
                      .data = row.count("dp"),
                      .context = row.count_or("cp", 1),
                      .expert = row.count_or("ep", 1),
                      .virtual_stages = row.count_or("virtual_stages", 1),
                      .global_batch = row.count("global_batch"),
                      .gated = row.flag("gated"),
                      .tied = row.flag("tied"),
                      .learned_positions = learned_positions_of(row),
                      .measured = row.seconds("seconds")};
  if (!row.text("micro_batch").empty())
    read.micro_batch = row.count("micro_batch");
  return read;
}

void check_columns(const std::vector<std::string>& columns, const std::string& place) {
  for (const char* required : kRequired)
    if (std::ranges::find(columns, required) == columns.end())
      throw InputError(fmt::format("{}: expected a column \"{}\", found none", place, required));
  for (const std::string& column : columns)
    if (!column.empty() && std::ranges::count(columns, column) > 1)
      throw InputError(
          fmt::format("{}: expected a column {} once, found it twice", place, in_quotes(column)));
}

void add_row(LayoutTable& table, const Row& row, const std::string& file, std::size_t line) try {
  table.rows.push_back(case_of(row, file, line));
} catch (const BadValue& reason) {
  table.rejected.push_back({file, line, reason.what()});
}

}  // namespace

LayoutTable parse_cases(std::string_view text, const std::string& origin) {
  check_utf8(text, origin);
  LayoutTable table;
  std::vector<std::string> columns;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view each = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (each.empty() || each == "\r" || each.front() == '#')
      continue;
    const std::string place = fmt::format("{}: line {}", origin, line);
    if (columns.empty()) {
      columns = csv_values(each);
      check_columns(columns, place);
    } else {
      add_row(table, Row(columns, csv_values(each), place), origin, line);
    }
  }
  if (table.rows.empty() && table.rejected.empty())
    throw InputError(
        fmt::format("{}: expected a line of column names and rows, found none", origin));
  return table;
}

LayoutTable read_cases(const std::filesystem::path& path) {
  return parse_cases(read_text_file(path), path.string());
}

}  // namespace stepcast
