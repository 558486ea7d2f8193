#include "traces/json/provenance_json.hpp"

#include <nlohmann/json.hpp>

namespace stepcast {

namespace {

ProvenanceKind read_kind(ObjectReader& reader) {
  const std::string kind = reader.text("kind");
  if (kind == "measured")
    return ProvenanceKind::Measured;
  if (kind == "derived")
    return ProvenanceKind::Derived;
  if (kind == "assumed")
    return ProvenanceKind::Assumed;
  reader.fail("kind", "expected \"measured\", \"derived\" or \"assumed\", found " +
                          nlohmann::json(kind).dump());
}

}  // namespace

Provenance read_provenance(ObjectReader reader) {
  Provenance provenance;
  provenance.kind = read_kind(reader);
  provenance.source = reader.text("source");
  if (provenance.source.empty())
    reader.fail("source", "expected who or what, found \"\"");
  provenance.method = reader.text_or("method", "");
  provenance.notes = reader.texts_or_none("notes");
  reader.finish();
  return provenance;
}

nlohmann::ordered_json provenance_json(const Provenance& provenance) {
  nlohmann::ordered_json json = {{"kind", name_of(provenance.kind)}, {"source", provenance.source}};
  if (!provenance.method.empty())
    json["method"] = provenance.method;
  if (!provenance.notes.empty())
    json["notes"] = provenance.notes;
  return json;
}

std::string name_of(ProvenanceKind kind) {
  switch (kind) {
    case ProvenanceKind::Measured:
      return "measured";
    case ProvenanceKind::Derived:
      return "derived";
    case ProvenanceKind::Assumed:
      return "assumed";
  }
  return "assumed";
}

}  // namespace stepcast
