#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/split.hpp"
#include "models/base/text.hpp"
#include "traces/catalog.hpp"
#include "traces/json/strict_json.hpp"
#include "traces/readers/huggingface/model_family.hpp"

// The file has tensors by name, each as "2 block hidden key_values" (number, part, rows, columns),
// then groups of such names, and the families. Where a name of tensors stands it may be that of a
// group, and "key=usual", "!key=usual" or "for task" may follow.

namespace stepcast {
namespace {

struct FamilyFile {
  std::map<std::string, std::vector<Tensor>> tensors;
  std::map<std::string, std::vector<std::string>> groups;
  std::vector<ModelFamily> families;
};

template <class Enum, class Names>
Enum value_called(std::string_view word, const Names& names) {
  const auto* const found = std::ranges::find(names, word);
  if (found == names.end())
    throw InputError(fmt::format("unknown word {} of a tensor", in_quotes(word)));
  return static_cast<Enum>(found - names.begin());
}

Tensor tensor_of(const std::string& text) {
  Tensor tensor;
  std::vector<std::string_view> words = split(text, ' ');
  if (words.size() > 1 && std::ranges::count(kTensorParts, words.front()) == 0) {
    tensor.count = parse_count(words.front(), 1);
    words.erase(words.begin());
  }
  tensor.part = value_called<TensorPart>(words.front(), kTensorParts);
  if (words.size() > 1)
    tensor.rows = value_called<TensorSize>(words[1], kTensorSizes);
  if (words.size() > 2)
    tensor.columns = value_called<TensorSize>(words[2], kTensorSizes);
  return tensor;
}

void add_tensors(const std::string& text, const FamilyFile& file,
                 std::vector<FamilyTensors>& tensors) {
  const std::size_t blank = std::min(text.find(' '), text.size());
  FamilyTensors added{.name = text.substr(0, blank)};
  if (const auto group = file.groups.find(added.name); group != file.groups.end()) {
    for (const std::string& each : group->second)
      add_tensors(each, file, tensors);
    return;
  }
  const std::string rest = text.substr(std::min(blank + 1, text.size()));
  if (rest.starts_with("for ")) {
    added.task = rest.substr(4);
  } else if (!rest.empty()) {
    added.leaves_out = rest.front() == '!';
    added.key = rest.substr(added.leaves_out ? 1 : 0);
    added.key.erase(added.key.find('='));
    added.usual = rest.ends_with("=true");
  }
  if (!file.tensors.contains(added.name))
    throw InputError(fmt::format("unknown tensors {}", in_quotes(added.name)));
  tensors.push_back(std::move(added));
}

void (*quirk_called(const std::string& name))(const ConfigKeys&, ModelDraft&) {
  for (const std::span<const Quirk> quirks : {decoder_quirks(), encoder_quirks()})
    for (const Quirk& quirk : quirks)
      if (name == quirk.name)
        return quirk.read;
  throw InputError(fmt::format("unknown quirk {}", in_quotes(name)));
}

ModelFamily family_of(ObjectReader& row, const FamilyFile& file) {
  ModelFamily family{.type = row.name("type")};
  for (const auto& [key, tensors] :
       {std::pair{"tensors", &family.tensors}, {"encoder", &family.encoder}})
    for (const std::string& text : row.texts_or_none(key))
      add_tensors(text, file, *tensors);
  for (const auto& [key, flag] : {std::pair{"gated", &family.gated},
                                  {"tied", &family.tied},
                                  {"causal", &family.causal},
                                  {"experts", &family.experts},
                                  {"heads", &family.heads},
                                  {"learned_positions", &family.learned_positions}})
    *flag = row.flag_or(key, *flag);
  for (const auto& [key, count] :
       {std::pair{"head_dim", &family.head_dim}, {"seq", &family.seq}, {"inner", &family.inner}})
    *count = static_cast<std::uint32_t>(row.count_or(key, 1, *count));
  family.task = row.text_or("task", "");
  if (const std::string quirk = row.text_or("adjust", ""); !quirk.empty())
    family.adjust = quirk_called(quirk);
  row.finish();
  return family;
}

FamilyFile read_families(const std::string& path) try {
  const nlohmann::json json = parse_json(read_text_file(path), path);
  ObjectReader root(json, path);
  read_format_header(root, "stepcast-model-families");
  FamilyFile file;
  ObjectReader tensors = root.object("tensors");
  for (const auto& [name, list] : root.raw("tensors").items())
    for (const std::string& text : tensors.texts_or_none(name))
      file.tensors[name].push_back(tensor_of(text));
  ObjectReader groups = root.object("groups");
  for (const auto& [name, list] : root.raw("groups").items())
    file.groups[name] = groups.texts_or_none(name);
  for (ObjectReader& row : root.objects("families"))
    file.families.push_back(family_of(row, file));
  root.finish();
  return file;
} catch (const InputError& error) {
  const std::string what = error.what();
  throw InputError(what.starts_with(path) ? what : path + ": " + what);
}

const FamilyFile& family_file() {
  static const FamilyFile file =
      read_families((data_root() / "configs/model_families.json").string());
  return file;
}

}  // namespace

const std::vector<ModelFamily>& model_families() {
  return family_file().families;
}

const std::vector<Tensor>& tensors_called(const std::string& name) {
  return family_file().tensors.at(name);
}

}  // namespace stepcast
