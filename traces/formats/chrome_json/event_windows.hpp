#pragma once

#include <cstdint>
#include <string>

#include "traces/formats/chrome_json/event_fields.hpp"
#include "traces/formats/chrome_json/repaired_buffer.hpp"

namespace stepcast {

/// Reads the list of events of a Chrome trace by simdjson, a window of text at a time, so that
/// memory does not grow with the list. It takes events of plain fields and stops before the first
/// entry that is anything else, or wrong: whoever reads on from there says what it is. Where the
/// list ends it stops as well.
///
/// A window is cut at the last comma between two objects. Such a comma within a text leaves the
/// window with an open text, and one within an event leaves its last event open: neither is read,
/// and the next window begins with it. Costs one pass of simdjson over the text, and the first
/// events of a window are never read twice.
class EventWindows {
 public:
  /// `text` stands behind the bracket that opens the list.
  EventWindows(RepairedBuffer& text, EventFields& fields, ChromeSink& sink)
      : text_(text), fields_(fields), sink_(sink) {}

  void read();

  bool read_any() const { return read_any_; }
  /// What was taken from the buffer and belongs to no event that was handed over; behind such
  /// events it begins with what follows the last one.
  const std::string& rest() const { return rest_; }
  /// Where the rest begins: bytes of the document.
  std::int64_t position() const;

 private:
  void fill();

  RepairedBuffer& text_;
  EventFields& fields_;
  ChromeSink& sink_;
  std::string rest_;
  bool read_any_ = false;
};

}  // namespace stepcast
