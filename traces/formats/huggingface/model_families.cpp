#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/split.hpp"
#include "models/base/text.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/huggingface/model_family.hpp"
#include "traces/json/provenance_json.hpp"
#include "traces/json/strict_json.hpp"

// The file has tensors by name, each as "2 block hidden key_values" (number, part, rows, columns),
// then groups of such names, and the families. Where a name of tensors stands it may be that of an
// earlier group. After a name of tensors "key=usual", "!key=usual" or "for task" may follow.

namespace stepcast {
namespace {

constexpr std::array kTensorSizes{
    "one",       "hidden",     "queries",      "key_values",   "head_size", "heads",
    "key_heads", "inner",      "expert_inner", "shared_inner", "experts",   "vocabulary",
    "classes",   "positions",  "token_types",  "embedded",     "patch",     "taps",
    "states",    "state_rank", "buckets"};
static_assert(kTensorSizes.size() == static_cast<std::size_t>(TensorSize::Count));

constexpr std::array kTensorParts{"embedding",    "block",  "dense_block",
                                  "sparse_block", "expert", "head"};
static_assert(kTensorParts.size() == static_cast<std::size_t>(TensorPart::Head) + 1);

using Groups = std::map<std::string, std::vector<FamilyTensors>>;

/// Calls `read` with each text of a list. Its errors name the place in the list.
template <class Read>
void read_each(ObjectReader& reader, const std::string& key, Read read) {
  std::size_t i = 0;
  for (const std::string& text : reader.texts_or_none(key)) {
    try {
      read(text);
    } catch (const InputError& error) {
      reader.fail(fmt::format("{}/{}", key, i), error.what());
    }
    ++i;
  }
}

template <class Enum, class Names>
Enum value_called(std::string_view word, const char* what, const Names& names) {
  const auto* const found = std::ranges::find(names, word);
  if (found == names.end())
    throw InputError(fmt::format("expected {}: one of {}, found {}", what, fmt::join(names, ", "),
                                 in_quotes(word)));
  return static_cast<Enum>(found - names.begin());
}

Tensor tensor_of(const std::string& text) {
  Tensor tensor;
  std::vector<std::string_view> words = split(text, ' ');
  if (const std::string_view first = words.front(); !first.empty() && first.front() <= '9') {
    tensor.count = parse_count(first, 1);
    words.erase(words.begin());
  }
  if (words.empty() || words.size() > 3)
    throw InputError(fmt::format(
        R"(expected a number, a part and up to two sizes as in "2 block hidden inner", found {})",
        in_quotes(text)));
  tensor.part = value_called<TensorPart>(words[0], "a part", kTensorParts);
  if (words.size() > 1)
    tensor.rows = value_called<TensorSize>(words[1], "a size", kTensorSizes);
  if (words.size() > 2)
    tensor.columns = value_called<TensorSize>(words[2], "a size", kTensorSizes);
  return tensor;
}

/// Sets the key or the task on which a family has the tensors; false: the words are neither.
bool set_condition(std::span<const std::string_view> words, FamilyTensors& tensors) {
  if (words.size() == 2 && words[0] == "for" && !words[1].empty()) {
    tensors.task = words[1];
    return true;
  }
  if (words.size() != 1)
    return words.empty();
  std::string_view key = words[0];
  tensors.leaves_out = key.starts_with('!');
  key.remove_prefix(tensors.leaves_out ? 1 : 0);
  const std::size_t equals = std::min(key.find('='), key.size());
  tensors.key = key.substr(0, equals);
  tensors.usual = key.substr(equals) == "=true";
  return !tensors.key.empty() && (tensors.usual || key.substr(equals) == "=false");
}

void add_tensors(const std::string& text, const FamilyTable& table, const Groups& groups,
                 std::vector<FamilyTensors>& tensors) {
  const std::vector<std::string_view> words = split(text, ' ');
  FamilyTensors added{.name = std::string(words.front())};
  const auto group = groups.find(added.name);
  if (group == groups.end() && !table.tensors.contains(added.name))
    throw InputError(fmt::format("expected the name of tensors or of an earlier group, found {}",
                                 in_quotes(added.name)));
  if (group != groups.end() && words.size() > 1)
    throw InputError(
        fmt::format("expected the group {} without a condition; conditions belong to its tensors, "
                    "found {}",
                    added.name, in_quotes(text)));
  if (!set_condition(std::span(words).subspan(1), added))
    throw InputError(fmt::format(
        R"(expected the tensors alone, "{0} KEY=true", "{0} !KEY=false" or "{0} for TASK", found {1})",
        added.name, in_quotes(text)));
  if (group != groups.end())
    std::ranges::copy(group->second, std::back_inserter(tensors));
  else
    tensors.push_back(std::move(added));
}

std::vector<FamilyTensors> read_tensors(ObjectReader& row, const std::string& key,
                                        const FamilyTable& table, const Groups& groups) {
  std::vector<FamilyTensors> tensors;
  read_each(row, key, [&](const std::string& text) { add_tensors(text, table, groups, tensors); });
  return tensors;
}

ReadQuirk read_quirk(ObjectReader& row) {
  const std::string name = row.text_or("adjust", "");
  std::vector<std::string> known;
  for (const std::span<const Quirk> quirks : {decoder_quirks(), encoder_quirks()})
    for (const Quirk& quirk : quirks) {
      if (name == quirk.name)
        return quirk.read;
      known.emplace_back(quirk.name);
    }
  if (row.has("adjust"))
    row.fail("adjust",
             fmt::format("expected one of {}, found {}", fmt::join(known, ", "), in_quotes(name)));
  return nullptr;
}

ModelFamily read_family(ObjectReader& row, const FamilyTable& table, const Groups& groups) {
  ModelFamily family{.type = row.name("type")};
  if (std::ranges::count(table.families, family.type, &ModelFamily::type) > 0)
    row.fail("type",
             fmt::format("expected each family once, found {} twice", in_quotes(family.type)));
  family.tensors = read_tensors(row, "tensors", table, groups);
  family.encoder = read_tensors(row, "encoder", table, groups);
  for (const auto& [key, flag] : {std::pair{"gated", &family.gated},
                                  {"tied", &family.tied},
                                  {"causal", &family.causal},
                                  {"experts", &family.experts},
                                  {"heads", &family.heads},
                                  {"learned_positions", &family.learned_positions}})
    *flag = row.flag_or(key, *flag);
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  family.head_dim = row.count_up_to_or("head_dim", 1, kMost, family.head_dim);
  family.seq = row.count_up_to_or("seq", 1, kMost, family.seq);
  family.inner = row.count_up_to_or("inner", 1, 1024, family.inner);
  family.task = row.text_or("task", "");
  family.adjust = read_quirk(row);
  row.finish();
  return family;
}

Groups read_groups(ObjectReader& root, const FamilyTable& table) {
  Groups groups;
  for (ObjectReader& row : root.objects("groups")) {
    const std::string name = row.name("name");
    if (table.tensors.contains(name) || groups.contains(name))
      row.fail("name", fmt::format("expected a name of its own, found {} twice", in_quotes(name)));
    std::vector<FamilyTensors> tensors = read_tensors(row, "tensors", table, groups);
    row.finish();
    groups[name] = std::move(tensors);
  }
  return groups;
}

/// Notes are for people; that each is on something keeps them from staying behind.
void check_notes(ObjectReader& root, const FamilyTable& table, const Groups& groups) {
  for (const auto& [name, note] : root.texts_by_name_or_none("notes"))
    if (!table.tensors.contains(name) && !groups.contains(name) &&
        std::ranges::count(table.families, name, &ModelFamily::type) == 0)
      root.fail("notes", fmt::format("expected names of tensors, groups or families, found {}",
                                     in_quotes(name)));
}

const std::string& family_path() {
  static const std::string path = (data_root() / "configs/model_families.json").string();
  return path;
}

const FamilyTable& family_table() {
  static const FamilyTable table =
      parse_model_families(read_text_file(family_path()), family_path());
  return table;
}

}  // namespace

FamilyTable parse_model_families(std::string_view text, const std::string& origin) {
  const nlohmann::json json = parse_json(text, origin);
  ObjectReader root(json, origin);
  read_format_header(root, "stepcast-model-families");
  read_provenance(root.object("provenance"));
  FamilyTable table;
  ObjectReader tensors = root.object("tensors");
  for (const auto& [name, list] : root.raw("tensors").items())
    read_each(tensors, name, [&, &all = table.tensors[name]](const std::string& tensor) {
      all.push_back(tensor_of(tensor));
    });
  const Groups groups = read_groups(root, table);
  for (ObjectReader& row : root.objects("families"))
    table.families.push_back(read_family(row, table, groups));
  check_notes(root, table, groups);
  root.finish();
  return table;
}

const std::vector<ModelFamily>& model_families() {
  return family_table().families;
}

const std::vector<Tensor>& tensors_called(const std::string& name) {
  const auto found = family_table().tensors.find(name);
  if (found == family_table().tensors.end())
    throw InputError(fmt::format("{}: /tensors/{}: missing", family_path(), name));
  return found->second;
}

}  // namespace stepcast
