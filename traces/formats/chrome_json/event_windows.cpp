#include "traces/formats/chrome_json/event_windows.hpp"

#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

// The probe is built on machines that measure only and may have no simdjson: there all is read
// as it is read behind the first unusual event.
#if __has_include(<simdjson.h>)
#include <simdjson.h>

namespace stepcast {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::size_t kWindow = std::size_t{1} << 18U;
constexpr int kDeepestList = 16;
constexpr std::string_view kSpace = " \t\r\n";

/// The last comma between two objects, of which the second has a key; npos: none.
std::size_t last_comma_between_objects(std::string_view text) {
  for (std::size_t at = text.rfind('{'); at != std::string_view::npos && at > 0;
       at = text.rfind('{', at - 1)) {
    const std::size_t inside = text.find_first_not_of(kSpace, at + 1);
    const std::size_t comma = text.find_last_not_of(kSpace, at - 1);
    if (inside == std::string_view::npos || text[inside] != '"' ||
        comma == std::string_view::npos || comma == 0 || text[comma] != ',')
      continue;
    const std::size_t before = text.find_last_not_of(kSpace, comma - 1);
    if (before != std::string_view::npos && text[before] == '}')
      return comma;
  }
  return std::string_view::npos;
}

/// Hands over a number as what it is written as. (By get_number(), simdjson 3.0 reads numbers with
/// a point and 19 digits or more as 0.) Later versions know more types, such as integers that no
/// 64 bits hold: whoever reads on from here takes them as well as they can be taken.
template <typename Take>
bool read_number(ondemand::value& value, Take take) {
  using Type = ondemand::number_type;
  Type type{};
  std::int64_t whole = 0;
  std::uint64_t large = 0;
  double number = 0;
  if (value.get_number_type().get(type) != simdjson::SUCCESS)
    return false;
  if (type == Type::signed_integer && value.get_int64().get(whole) == simdjson::SUCCESS)
    take(whole);
  else if (type == Type::unsigned_integer && value.get_uint64().get(large) == simdjson::SUCCESS)
    take(static_cast<std::int64_t>(large));
  else if (type == Type::floating_point_number &&
           value.get_double().get(number) == simdjson::SUCCESS)
    take(number);
  else
    return false;
  return true;
}

/// One window: a list of which every error ends the reading. What handles errors returns whether
/// there was none.
class Window {
 public:
  Window(ondemand::parser& parser, EventFields& fields, ChromeSink& sink)
      : parser_(parser), fields_(fields), sink_(sink) {}

  /// Hands over the events of a list; returns how far it came: to what follows the last one, 0 if
  /// there was none. The capacity of `text` holds simdjson's padding behind its `size`.
  std::size_t read(const std::string& text, std::size_t size) {
    std::size_t end = 0;
    ondemand::array events;
    if (parser_.iterate(text.data(), size, text.capacity()).get(document_) != simdjson::SUCCESS ||
        document_.get_array().get(events) != simdjson::SUCCESS)
      return 0;
    for (auto entry : events) {
      ondemand::object event;
      const char* behind = nullptr;
      if (entry.get_object().get(event) != simdjson::SUCCESS || !read_event(event) ||
          document_.current_location().get(behind) != simdjson::SUCCESS)
        return end;
      sink_.event(fields_.event());
      end = static_cast<std::size_t>(behind - text.data());
    }
    return end;
  }

 private:
  bool read_event(ondemand::object& event) {
    fields_.begin();
    for (auto field : event) {
      std::string_view key;
      ondemand::value value;
      ondemand::json_type type{};
      if (field.unescaped_key().get(key) != simdjson::SUCCESS ||
          field.value().get(value) != simdjson::SUCCESS ||
          value.type().get(type) != simdjson::SUCCESS)
        return false;
      const bool read = type == ondemand::json_type::object ? key == "args" && read_arguments(value)
                                                            : read_field(key, value, type);
      if (!read)
        return false;
    }
    return true;
  }

  bool read_field(std::string_view key, ondemand::value& value, ondemand::json_type type) {
    if (type != ondemand::json_type::number)
      return read_scalar(value, type, [&](std::optional<double> number, std::string_view text) {
        fields_.field(key, number, text);
      });
    return read_number(value, [&](auto number) { fields_.field(key, number); });
  }

  bool read_arguments(ondemand::value& value) {
    ondemand::object arguments;
    if (value.get_object().get(arguments) != simdjson::SUCCESS)
      return false;
    for (auto field : arguments) {
      std::string_view key;
      ondemand::value argument;
      if (field.unescaped_key().get(key) != simdjson::SUCCESS ||
          field.value().get(argument) != simdjson::SUCCESS)
        return false;
      fields_.argument(key);
      if (!read_value(argument, 0))
        return false;
    }
    return true;
  }

  bool read_value(ondemand::value& value, int depth) {
    ondemand::json_type type{};
    if (value.type().get(type) != simdjson::SUCCESS)
      return false;
    if (type != ondemand::json_type::array)
      return read_scalar(value, type, [&](std::optional<double> number, std::string_view text) {
        fields_.value(number, text);
      });
    ondemand::array list;
    if (depth == kDeepestList || value.get_array().get(list) != simdjson::SUCCESS)
      return false;
    fields_.open_list();
    for (auto entry : list) {
      ondemand::value element;
      if (entry.get(element) != simdjson::SUCCESS || !read_value(element, depth + 1))
        return false;
    }
    fields_.close_list();
    return true;
  }

  template <typename Take>
  bool read_scalar(ondemand::value& value, ondemand::json_type type, Take take) {
    switch (type) {
      case ondemand::json_type::string: {
        std::string_view text;
        if (value.get_string().get(text) != simdjson::SUCCESS)
          return false;
        take(std::nullopt, text);
        return true;
      }
      case ondemand::json_type::number:
        return read_number(value, [&](auto number) { take(static_cast<double>(number), {}); });
      case ondemand::json_type::boolean: {
        bool flag = false;
        if (value.get_bool().get(flag) != simdjson::SUCCESS)
          return false;
        take(flag ? 1 : 0, flag ? "true" : "false");
        return true;
      }
      case ondemand::json_type::null: {
        bool null = false;
        if (value.is_null().get(null) != simdjson::SUCCESS || !null)
          return false;
        take(std::nullopt, "");
        return true;
      }
      case ondemand::json_type::array:
      case ondemand::json_type::object:
        return false;
    }
    return false;
  }

  ondemand::parser& parser_;
  EventFields& fields_;
  ChromeSink& sink_;
  ondemand::document document_;
};

}  // namespace

// The comma that a window ends with is a bracket while it is read, and so is the one before its
// first event.
void EventWindows::read() {
  ondemand::parser parser;
  Window window(parser, fields_, sink_);
  rest_.reserve(kWindow + simdjson::SIMDJSON_PADDING);
  rest_.assign(1, '[');
  while (!read_any_ || rest_.starts_with(',')) {
    fill();
    const std::size_t comma = last_comma_between_objects(rest_);
    if (comma == std::string::npos)
      break;
    const char first = std::exchange(rest_.front(), '[');
    rest_[comma] = ']';
    const std::size_t end = window.read(rest_, comma + 1);
    rest_[comma] = ',';
    rest_.front() = first;
    if (end == 0)
      break;
    rest_.erase(0, end);
    read_any_ = true;
  }
  if (!read_any_)
    rest_.erase(0, 1);
}

void EventWindows::fill() {
  const std::size_t held = rest_.size();
  rest_.resize(kWindow);
  const std::streamsize more =
      text_.sgetn(rest_.data() + held, static_cast<std::streamsize>(kWindow - held));
  rest_.resize(held + static_cast<std::size_t>(more));
}

}  // namespace stepcast

#else

namespace stepcast {

void EventWindows::read() {}

}  // namespace stepcast

#endif

std::int64_t stepcast::EventWindows::position() const {
  return text_.position() - std::ssize(rest_);
}
