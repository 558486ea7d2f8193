#include "traces/json/provenance_json.hpp"

#include <nlohmann/json.hpp>

#include "models/base/enum_name.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

namespace {

constexpr std::string_view kCaveat = "caveat: ";  // what a note of a file begins with

ProvenanceKind read_kind(ObjectReader& reader) {
  const std::string kind = reader.text("kind");
  if (kind == "measured")
    return ProvenanceKind::Measured;
  if (kind == "derived")
    return ProvenanceKind::Derived;
  if (kind == "assumed")
    return ProvenanceKind::Assumed;
  reader.fail("kind", "expected \"measured\", \"derived\" or \"assumed\", found " +
                          shown(nlohmann::json(kind)));
}

}  // namespace

Provenance read_provenance(ObjectReader reader) {
  Provenance provenance;
  provenance.kind = read_kind(reader);
  provenance.source = reader.text("source");
  if (provenance.source.empty())
    reader.fail("source", "expected who or what, found \"\"");
  provenance.method = reader.text_or("method", "");
  for (std::string& note : reader.texts_or_none("notes"))
    if (note.starts_with(kCaveat))
      provenance.caveats.push_back(note.substr(kCaveat.size()));
    else
      provenance.notes.push_back(std::move(note));
  reader.finish();
  return provenance;
}

std::vector<std::string> notes_in_file(const Provenance& provenance) {
  std::vector<std::string> notes = provenance.notes;
  for (const std::string& caveat : provenance.caveats)
    notes.push_back(std::string(kCaveat).append(caveat));
  return notes;
}

std::vector<std::string> notes_on(const Provenance& provenance, std::string_view figure) {
  std::vector<std::string> notes;
  for (const std::string& note : provenance.notes)
    if (note.starts_with(figure) && note.find_first_of(" :", figure.size()) == figure.size())
      notes.push_back(note);
  return notes;
}

nlohmann::ordered_json provenance_json(const Provenance& provenance) {
  nlohmann::ordered_json json = {{"kind", name_of(provenance.kind)}, {"source", provenance.source}};
  if (!provenance.method.empty())
    json["method"] = provenance.method;
  for (const std::string& note : notes_in_file(provenance))
    json["notes"].push_back(note);
  return json;
}

std::string name_of(ProvenanceKind kind) {
  return name_among({"measured", "derived", "assumed"}, kind);
}

}  // namespace stepcast
