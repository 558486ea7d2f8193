#include <algorithm>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/utf8.hpp"
#include "traces/json/file_limits.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

using nlohmann::json;

namespace {

constexpr std::size_t kLongestReason = 160;

/// The word that holds the byte at `offset`: letters with what may stand before them.
std::string_view word_at(std::string_view text, std::size_t offset) {
  constexpr std::string_view kLetters = "+-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const std::size_t before = text.find_last_not_of(kLetters, offset);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t end = text.find_first_not_of(kLetters, offset);
  return begin > offset ? "" : text.substr(begin, end - begin);
}

/// What other writers put into files that they call JSON; "" for anything else.
std::string known_habit(std::string_view text, std::size_t offset) {
  const std::string_view rest = text.substr(offset);
  if (rest.starts_with("//") || rest.starts_with("/*") || rest.starts_with('#'))
    return "JSON has no comments";
  std::string_view word = word_at(text, offset);
  word.remove_prefix(std::min(word.find_first_not_of("+-"), word.size()));
  for (const std::string_view no_number : {"NaN", "nan", "NAN"})
    if (word == no_number)
      return "NaN is no JSON number; write null, or leave the key out";
  for (const std::string_view infinity : {"Infinity", "infinity", "Inf", "inf", "INF"})
    if (word == infinity)
      return "Infinity is no JSON number; write null, or leave the key out";
  return "";
}

/// nlohmann's explanation without its exception id and its own idea of the place.
std::string reason_of(const std::string& what) {
  const std::size_t column = what.find("column ");
  const std::size_t id = what.find("] ");
  std::size_t begin = id == std::string::npos ? 0 : id + 2;
  if (column != std::string::npos) {
    begin = what.find(": ", column);
    begin = begin == std::string::npos ? 0 : begin + 2;
  }
  return abridged(std::string_view(what).substr(begin), kLongestReason);
}

/// Feeds characters to the parser and counts them, so that an error found between two tokens (a
/// duplicate key) still has a place.
struct CountingIterator {
  using difference_type = std::ptrdiff_t;
  using value_type = char;
  using pointer = const char*;
  using reference = const char&;
  using iterator_category = std::input_iterator_tag;

  const char* at;
  std::size_t* consumed;

  reference operator*() const { return *at; }
  CountingIterator& operator++() {
    ++at;
    ++*consumed;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return at == other.at; }
  bool operator!=(const CountingIterator& other) const { return at != other.at; }
};

/// Builds the document from the parser's events (nlohmann's SAX interface) and refuses what a plain
/// parse lets pass: a key that appears twice.
class DocumentBuilder final : public nlohmann::json_sax<json> {
 public:
  DocumentBuilder(std::string_view text, const std::string& origin, const std::size_t& consumed)
      : text_(text), origin_(origin), consumed_(consumed) {}

  json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& value) override { return add(std::move(value)); }
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    json& object = *open_.back();
    if (object.contains(name)) {
      fail(consumed_ - 1, fmt::format("the key {} appears twice", shown(json(name))));
    }
    slot_ = &object[name];
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    // The parser counts one character past the end when it meets the end.
    if (position > text_.size()) {
      fail(text_.size(), "the text ends too early (is the file truncated?)");
    }
    const std::size_t offset = position == 0 ? 0 : position - 1;
    const std::string habit = known_habit(text_, offset);
    fail(offset, habit.empty() ? reason_of(error.what()) : habit);
  }

 private:
  json* place(json value) {
    if (++values_ > most_values_)
      fail(consumed_ - 1,
           fmt::format("holds more than {} values, the most that is read of such a file; "
                       "STEPCAST_MAX_FILE=SIZE allows more",
                       most_values_));
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    if (open_.back()->is_array()) {
      open_.back()->push_back(std::move(value));
      return &open_.back()->back();
    }
    *slot_ = std::move(value);
    return slot_;
  }
  bool add(json value) {
    place(std::move(value));
    return true;
  }
  bool open(json value) {
    if (open_.size() == kDeepestJson)
      fail(consumed_ - 1, fmt::format("nested more than {} levels deep", kDeepestJson));
    open_.push_back(place(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  [[noreturn]] void fail(std::size_t offset, const std::string& reason) const {
    throw InputError(fmt::format("{}: {}: {}", origin_, place_of(text_, offset), reason));
  }

  std::string_view text_;
  const std::string& origin_;
  const std::size_t& consumed_;
  // A value takes 16 bytes of memory and as few as 2 of the file.
  std::size_t most_values_ = static_cast<std::size_t>(file_limits().whole.value / 16);
  std::size_t values_ = 0;
  json root_;
  json* slot_ = nullptr;     ///< Where the value of the last key goes.
  std::vector<json*> open_;  ///< The containers around the current value, outermost first.
};

}  // namespace

json parse_json(std::string_view text, const std::string& origin) {
  if (text.starts_with("\x1f\x8b"))
    throw InputError(origin + ": compressed by gzip: unpack it, or import it if it is a trace");
  check_utf8(text, origin);
  std::size_t consumed = 0;
  DocumentBuilder builder(text, origin, consumed);
  const CountingIterator begin{text.data(), &consumed};
  const CountingIterator end{text.data() + text.size(), &consumed};
  json::sax_parse(begin, end, &builder);
  return builder.take();
}

}  // namespace stepcast
