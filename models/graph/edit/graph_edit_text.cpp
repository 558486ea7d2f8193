#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/graph/edit/graph_edit.hpp"

namespace stepcast {
namespace {

using TextFields = std::map<std::string, std::string>;

class EditFields;

/// A verb, the keys that it takes beside those that select, and what reads these.
struct VerbInfo {
  const char* name;
  EditVerb verb;
  std::vector<std::string> keys;
  void (*read)(EditFields& fields, GraphEdit& edit);
};

std::vector<std::string> parts_of_list(const std::string& text) {
  std::vector<std::string> parts;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    parts.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return parts;
}

/// Takes one key after the other, and complains of what is left.
class EditFields {
 public:
  EditFields(const VerbInfo& verb, TextFields fields) : verb_(verb), fields_(std::move(fields)) {}

  const VerbInfo& verb() const { return verb_; }
  bool has(const std::string& key) const { return fields_.contains(key); }

  std::optional<std::string> take(const std::string& key) {
    auto found = fields_.extract(key);
    return found ? std::optional(std::move(found.mapped())) : std::nullopt;
  }

  template <typename Parse>
  auto parsed(const std::string& key, Parse parse)
      -> std::optional<decltype(parse(std::string()))> {
    const auto text = take(key);
    if (!text)
      return std::nullopt;
    try {
      return parse(*text);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}: {}", verb_.name, key, error.what()));
    }
  }

  std::size_t word(const std::string& key, const std::vector<std::string>& words) {
    const auto text = take(key);
    if (!text)
      return 0;
    const auto found = std::ranges::find(words, *text);
    if (found == words.end())
      throw InputError(fmt::format("{}: {}: expected {}, found {}", verb_.name, key,
                                   fmt::join(words, " or "), in_quotes(*text)));
    return static_cast<std::size_t>(found - words.begin());
  }

  TextSelection patterns(const std::string& key) {
    TextSelection selection;
    selection.any = parts_of_list(take(key).value_or(""));
    selection.none = parts_of_list(take(key + "!").value_or(""));
    return selection;
  }

  [[noreturn]] void expect(const std::string& what) const {
    throw InputError(fmt::format("{}: expected {}", verb_.name, what));
  }

  void finish() const {
    if (fields_.empty())
      return;
    std::vector<std::string> known = {"name", "kind", "layer", "stream", "rank", "stage", "work"};
    known.insert(known.begin(), verb_.keys.begin(), verb_.keys.end());
    const std::string& key = fields_.begin()->first;
    throw InputError(fmt::format("{}: unknown key {}: expected {}{}", verb_.name, in_quotes(key),
                                 fmt::join(known, ", "), did_you_mean(key, known)));
  }

 private:
  const VerbInfo& verb_;
  TextFields fields_;
};

/// "0.5" or "1/3".
double positive_ratio(const std::string& text) {
  constexpr double kMost = 1e6;
  const std::size_t slash = text.find('/');
  const double value = slash == std::string::npos ? parse_number(text)
                                                  : parse_number(text.substr(0, slash)) /
                                                        parse_number(text.substr(slash + 1));
  if (!(value >= 0 && value <= kMost))
    throw InputError(fmt::format("expected a number from 0 to 1e6, found {}", in_quotes(text)));
  return value;
}

NumberRanges number_ranges(const std::string& text) {
  NumberRanges ranges;
  for (const std::string& part : parts_of_list(text)) {
    const std::size_t dash = part.find('-');
    const std::uint32_t first = parse_count(part.substr(0, dash));
    const std::uint32_t last =
        dash == std::string::npos ? first : parse_count(part.substr(dash + 1));
    if (last < first)
      throw InputError(fmt::format("expected numbers such as 3 or 0-7, found {}", in_quotes(part)));
    ranges.emplace_back(first, last);
  }
  return ranges;
}

Seconds time_in(const std::string& text) {
  return parse_seconds(text);
}

Bytes size_in(const std::string& text) {
  const Bytes size = parse_bytes(text);
  if (!(size > Bytes{}))
    throw InputError(fmt::format("expected a size above zero, found {}", in_quotes(text)));
  return size;
}

std::uint32_t few(const std::string& text) {
  constexpr std::uint32_t kMost = 4096;
  const std::uint32_t count = parse_count(text, 1);
  if (count > kMost)
    throw InputError(fmt::format("expected at most {}, found {}", kMost, count));
  return count;
}

void read_scale(EditFields& fields, GraphEdit& edit) {
  const auto factor = fields.parsed("by", positive_ratio);
  if (!factor)
    fields.expect("by=, such as by=0.5");
  edit.factor = *factor;
  edit.value = static_cast<EditedValue>(fields.word("of", {"time", "size", "delay"}));
}

void read_set(EditFields& fields, GraphEdit& edit) {
  edit.size = fields.parsed("size", size_in);
  edit.time = fields.parsed("time", time_in);
  edit.delay = fields.parsed("delay", time_in);
  if (!edit.time && !edit.delay && !edit.size)
    fields.expect("time=, size= or delay=, such as time=1ms");
}

void read_insert(EditFields& fields, GraphEdit& edit) {
  edit.name = fields.take("new").value_or("");
  edit.time = fields.parsed("time", time_in);
  edit.kind = fields.take("as").value_or("");
  edit.stream = fields.take("on").value_or("");
  edit.before = fields.word("where", {"behind", "before"}) == 1;
  if (edit.name.empty() || !edit.time)
    fields.expect("new=NAME and time=, such as new=\"cast to fp16\" time=20us");
}

void read_move(EditFields& fields, GraphEdit& edit) {
  edit.stream = fields.take("on").value_or("");
  const TextSelection before = fields.patterns("before");
  const TextSelection behind = fields.patterns("behind");
  edit.before = !before.any.empty();
  edit.beside = edit.before ? before : behind;
  if ((edit.before && !behind.any.empty()) || (edit.stream.empty() && edit.beside.any.empty()))
    fields.expect("on=STREAM, or before= or behind= with the name of another node");
}

void read_merge(EditFields& fields, GraphEdit& edit) {
  edit.size = fields.parsed("up_to", size_in);
  edit.time = fields.parsed("time", time_in);
  edit.apart = fields.word("apart", {"no", "yes"}) == 1;
}

void read_split(EditFields& fields, GraphEdit& edit) {
  edit.size = fields.parsed("size", size_in);
  edit.count = fields.parsed("parts", few).value_or(0);
  if ((edit.count == 0) == !edit.size)
    fields.expect("parts= or size=, such as parts=4 or size=4MiB");
}

void read_reorder(EditFields& fields, GraphEdit& edit) {
  edit.key = static_cast<SortKey>(fields.word("by", {"layer", "size", "time", "name", "need"}));
  edit.descending = fields.word("descending", {"no", "yes"}) == 1;
}

/// Reads the fields of `repeat` and `replicate`, whose only key says how often.
void read_count(EditFields& fields, GraphEdit& edit) {
  const std::string& key = fields.verb().keys.front();
  edit.count = fields.parsed(key, few).value_or(0);
  if (edit.count == 0)
    fields.expect(fmt::format("{}=, such as {}=2", key, key));
}

const std::vector<VerbInfo>& verbs() {
  static const std::vector<VerbInfo> all = {
      {"scale", EditVerb::Scale, {"by", "of"}, read_scale},
      {"set", EditVerb::Set, {"time", "size", "delay"}, read_set},
      {"insert", EditVerb::Insert, {"new", "time", "as", "on", "where"}, read_insert},
      {"remove", EditVerb::Remove, {}, [](EditFields&, GraphEdit&) {}},
      {"move", EditVerb::Move, {"on", "before", "behind"}, read_move},
      {"merge", EditVerb::Merge, {"up_to", "time", "apart"}, read_merge},
      {"split", EditVerb::Split, {"parts", "size"}, read_split},
      {"reorder", EditVerb::Reorder, {"by", "descending"}, read_reorder},
      {"repeat", EditVerb::Repeat, {"times"}, read_count},
      {"replicate", EditVerb::Replicate, {"ranks"}, read_count},
  };
  return all;
}

std::string written(const std::string& verb, const TextFields& fields) {
  std::string text = verb;
  for (const auto& [key, value] : fields) {
    const bool quoted = value.find_first_of(" \t") != std::string::npos;
    text += fmt::format(" {}={}{}{}", key, quoted ? "\"" : "", value, quoted ? "\"" : "");
  }
  return text;
}

}  // namespace

std::vector<std::string> edit_verbs() {
  std::vector<std::string> names;
  for (const VerbInfo& info : verbs())
    names.emplace_back(info.name);
  return names;
}

GraphEdit graph_edit_of(const std::string& verb, std::map<std::string, std::string> fields) {
  const auto found = std::ranges::find(verbs(), verb, &VerbInfo::name);
  if (found == verbs().end()) {
    const std::vector<std::string> known = edit_verbs();
    throw InputError(fmt::format("expected one of {}, found {}{}", fmt::join(known, ", "),
                                 in_quotes(verb), did_you_mean(verb, known)));
  }
  GraphEdit edit;
  edit.verb = found->verb;
  edit.text = written(verb, fields);
  for (const auto& [key, value] : fields)
    if (value.empty())
      throw InputError(fmt::format("{}: {}: expected {}, found nothing", verb, key,
                                   key == "rank" || key == "stage" ? "numbers such as 3 or 0-7"
                                                                   : "something behind the \"=\""));
  EditFields reader(*found, std::move(fields));
  edit.what.name = reader.patterns("name");
  edit.what.kind = reader.patterns("kind");
  edit.what.layer = reader.patterns("layer");
  edit.what.stream = reader.patterns("stream");
  edit.what.ranks = reader.parsed("rank", number_ranges).value_or(edit.what.ranks);
  edit.what.stages = reader.parsed("stage", number_ranges).value_or(edit.what.stages);
  if (reader.has("work"))
    edit.what.communicates = reader.word("work", {"compute", "communication"}) == 1;
  found->read(reader, edit);
  reader.finish();
  return edit;
}

std::pair<std::string, std::map<std::string, std::string>> words_of_edit(std::string_view text) {
  std::vector<std::string> words{""};
  char quote = 0;
  for (const char c : text) {
    if (quote != 0 ? c == quote : c == '"' || c == '\'')
      quote = quote != 0 ? '\0' : c;
    else if (quote == 0 && (c == ' ' || c == '\t'))
      words.emplace_back();
    else
      words.back() += c;
  }
  if (quote != 0)
    throw InputError(fmt::format("expected a closing quote, found {}", in_quotes(text)));
  std::erase(words, "");
  if (words.empty())
    throw InputError("expected an edit such as \"scale kind=forward by=0.5\", found nothing");
  TextFields fields;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError(
          fmt::format("{}: expected key=value, found {}", words.front(), in_quotes(words[i])));
    if (!fields.emplace(words[i].substr(0, equals), words[i].substr(equals + 1)).second)
      throw InputError(
          fmt::format("{}: {} is given twice", words.front(), words[i].substr(0, equals)));
  }
  return {words.front(), fields};
}

}  // namespace stepcast
