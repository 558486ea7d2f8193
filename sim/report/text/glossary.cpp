#include "sim/report/text/glossary.hpp"

#include <algorithm>
#include <cctype>

#include <nlohmann/json.hpp>

#include "sim/report/json/json.hpp"
#include "sim/report/text/render.hpp"
#include "traces/catalog.hpp"
#include "traces/json/strict_json.hpp"
#include "traces/readers/stepcast/format_header.hpp"

namespace stepcast {

namespace {

std::vector<Term> read_terms() {
  const std::string path = (data_root() / "configs/glossary.json").string();
  const nlohmann::json json = parse_json(read_text_file(path), path);
  ObjectReader root(json, path);
  read_format_header(root, "stepcast-glossary");
  std::vector<Term> terms;
  for (ObjectReader& term : root.objects("terms")) {
    terms.push_back({term.text("name"), term.text("also"), term.text("definition")});
    term.finish();
  }
  root.finish();
  return terms;
}

std::string plain(std::string_view name) {
  std::string text(name);
  for (char& c : text)
    c = c == '_' || c == '-' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool lists(std::string_view names, const std::string& wanted) {
  while (!names.empty()) {
    const std::size_t comma = names.find(", ");
    if (plain(names.substr(0, comma)) == wanted)
      return true;
    names.remove_prefix(comma == std::string_view::npos ? names.size() : comma + 2);
  }
  return false;
}

}  // namespace

std::span<const Term> all_terms() {
  static const std::vector<Term> terms = read_terms();
  return terms;
}

const Term* find_term(std::string_view name) {
  const std::string wanted = plain(name);
  const std::span<const Term> terms = all_terms();
  const auto it = std::ranges::find_if(terms, [&wanted](const Term& term) {
    return plain(term.name) == wanted || lists(term.also, wanted);
  });
  return it == terms.end() ? nullptr : &*it;
}

std::vector<std::string> printed_columns() {
  std::vector<std::string> columns;
  for (const auto& names : {names_of_run(), names_of_comparison(), json_keys()})
    columns.insert(columns.end(), names.begin(), names.end());
  return columns;
}

}  // namespace stepcast
