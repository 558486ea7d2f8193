#include "sim/cli/edit_options.hpp"

#include "traces/json/edit_list.hpp"

namespace stepcast {

CommandOption edit_option(TypedEdits& edits) {
  return {"--edit", "EDIT", &edits.texts,
          "an edit or recipe to apply first (see above); may be repeated"};
}

CommandOption edit_file_option(TypedEdits& edits) {
  return {"--edits", "FILE", &edits.file,
          "the same: {\"edits\": [{\"do\": \"scale\", \"kind\": \"forward\", \"by\": 0.5}]}"};
}

std::string help_of_edits() {
  std::string text =
      "--edit \"VERB KEY=VALUE ..\": scale by= of=time|size|delay; set time= size= delay=; insert "
      "new= time=\n"
      "as= on= where=behind|before; remove; move on= before= behind=; merge up_to= time= "
      "apart=yes; "
      "split\n"
      "parts= size=; reorder by=layer|size|time|name|need descending=yes; repeat times=; replicate "
      "ranks=.\n"
      "What it is about: name= kind= layer= stream= (patterns with * and ?; name!= and so on: but "
      "these),\n"
      "rank=0-3, stage=0-3 (of a pipeline), work=compute|communication. Or a recipe:";
  for (const RecipeInfo& recipe : recipes()) {
    std::string name = recipe.name;
    for (const std::string& key : recipe.keys)
      name += " " + key + "=";
    text += fmt::format("\n  {:<22} {}", name, recipe.meaning);
  }
  return text;
}

std::vector<EditRequest> requests_of(const TypedEdits& edits) {
  std::vector<EditRequest> requests;
  if (!edits.file.empty())
    for (WrittenEdit& edit : read_edit_list(edits.file))
      requests.push_back(of_option(fmt::format("{}: /edits/{}", edits.file, requests.size()), [&] {
        return edit_request_of(edit.verb, std::move(edit.fields));
      }));
  for (const std::string& edit : edits.texts)
    requests.push_back(of_option("--edit", [&] { return parse_edit_request(edit); }));
  return requests;
}

}  // namespace stepcast
