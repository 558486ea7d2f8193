#include <limits>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/ranges.hpp"
#include "traces/formats/stepcast/cluster_file.hpp"
#include "traces/json/provenance_json.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

/// Reads a JSON value by the type of the member.
class JsonSetter {
 public:
  JsonSetter(ObjectReader& reader, std::string_view key, std::uint32_t least)
      : reader_(reader), key_(key), least_(least) {}

  void operator()(std::string& member) const { member = reader_.name(key_); }
  void operator()(std::uint32_t& member) const {
    member = reader_.count_up_to(key_, least_, std::numeric_limits<std::uint32_t>::max());
  }
  void operator()(double& member) const {
    member = reader_.number(key_, least_);
    if (!kScaleRange.contains(member))
      reader_.fail(key_, fmt::format("expected {}, found {}", kScaleRange.words, member));
  }
  void operator()(Seconds& member) const { member = reader_.time_text(key_); }
  void operator()(Bytes& member) const { member = reader_.size_text(key_); }
  void operator()(BytesPerSecond& member) const { member = reader_.bandwidth_text(key_); }

 private:
  ObjectReader& reader_;
  std::string_view key_;
  std::uint32_t least_;
};

/// The readers of the file's root ("") and of its sections, made when a field first asks for them.
class Sections {
 public:
  explicit Sections(ObjectReader& root) : root_(root) {}

  /// Null if the section is absent. A section that must be there and is not is an error.
  ObjectReader* find(const std::string& name, bool required) {
    if (name.empty())
      return &root_;
    auto& section = opened_[name];
    if (section)
      return &*section;
    section = required ? root_.object(name) : root_.object_if(name);
    return section ? &*section : nullptr;
  }

  void finish() const {
    for (const auto& [name, section] : opened_) {
      if (section)
        section->finish();
    }
    root_.finish();
  }

 private:
  ObjectReader& root_;
  std::map<std::string, std::optional<ObjectReader>> opened_;
};

void add_missing_cost(Cluster& cluster, const ClusterField& field) {
  const bool of_rack = field.path.starts_with("rack.");
  if (field.is_cost && (!of_rack || cluster.rack))
    cluster.costs_not_given.push_back(field.path);
}

void read_field(Cluster& cluster, const ClusterField& field, Sections& sections) {
  const std::size_t dot = field.path.find('.');
  const bool nested = dot != std::string::npos;
  const std::string key = nested ? field.path.substr(dot + 1) : field.path;
  ObjectReader* section =
      sections.find(nested ? field.path.substr(0, dot) : "", field.presence == Presence::Required);
  if (!section)
    return add_missing_cost(cluster, field);
  // Asking for an absent optional key as text makes it known to finish(), and so to suggestions.
  if ((field.presence == Presence::Optional || field.presence == Presence::Rare) &&
      !section->has(key)) {
    section->text_or(key, "");
    return add_missing_cost(cluster, field);
  }
  const JsonSetter set(*section, key, field.least);
  std::visit([&](auto member) { set(member(cluster)); }, field.member);
}

}  // namespace

Cluster parse_cluster(std::string_view text, const std::string& origin) {
  const nlohmann::json json = parse_json(text, origin);
  ObjectReader root(json, origin);
  read_format_header(root, "stepcast-cluster");
  Sections sections(root);
  Cluster cluster;
  for (const ClusterField& field : cluster_fields())
    read_field(cluster, field, sections);
  if (const std::string curves = root.text_or("collectives", ""); !curves.empty())
    cluster.measured = {.name = curves};
  cluster.provenance = read_provenance(root.object("provenance"));
  sections.finish();
  try {
    check_cluster(cluster);
  } catch (const InputError& error) {
    root.fail("nodes", error.what());
  }
  return cluster;
}

Cluster read_cluster(const std::filesystem::path& path) {
  return parse_cluster(read_text_file(path), path.string());
}

}  // namespace stepcast
