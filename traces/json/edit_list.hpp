#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace stepcast {

/// An edit as written in a file: its verb, or the name of a recipe, and what belongs to it.
struct WrittenEdit {
  std::string verb;
  std::map<std::string, std::string> fields;
};

/// Reads {"edits": [{"do": "scale", "kind": "forward", "by": 0.5}, {"do": "cuda-graphs"}]}: values
/// are texts, numbers, true or false. Throws InputError naming file and field.
std::vector<WrittenEdit> read_edit_list(const std::filesystem::path& path);

}  // namespace stepcast
