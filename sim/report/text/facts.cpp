#include "sim/report/text/facts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "sim/report/text/table.hpp"
#include "traces/json/provenance_json.hpp"

namespace stepcast {

std::string render(const Facts& facts) {
  std::size_t widest = 0;
  for (const auto& [name, value] : facts)
    widest = std::max(widest, name.size());
  std::string text;
  for (const auto& [name, value] : facts)
    text += wrap(fmt::format("{:<{}}  {}", name, widest, value), widest + 2);
  return text;
}

void add_provenance(Facts& facts, const Provenance& provenance) {
  facts.emplace_back("provenance", name_of(provenance.kind));
  facts.emplace_back("source", provenance.source);
  if (!provenance.method.empty())
    facts.emplace_back("method", provenance.method);
  for (const std::string& note : notes_in_file(provenance))
    facts.emplace_back("note", note);
}

std::string with_thousands(std::uint64_t count) {
  const std::string digits = std::to_string(count);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0)
      text += ',';
    text += digits[i];
  }
  return text;
}

}  // namespace stepcast
