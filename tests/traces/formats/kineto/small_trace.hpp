#pragma once
// The trace of two steps that tests/golden/data/small-trace.json holds, and variations of it.
//
// Times of each step in microseconds, host first: conv2d is launched until 30 and runs 35-135,
// linear until 80 and 135-185; the backward thread launches its work until 160 (runs 185-245), 265
// (265-275), 310 (310-410), the all-reduce of 150 floats until 405 (410-480) and a copy until 450
// (480-490); the optimizer is launched until 530 and runs 530-650; the host waits for it and the
// step ends at 1000.

#include <string>

#include "traces/formats/recognition/recognised_file.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

inline std::string small_trace() {
  return read_text_file(STEPCAST_SOURCE_DIR "/tests/golden/data/small-trace.json");
}

/// Every `from` in the text replaced.
inline std::string all_replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// Without the lines in which `part` stands.
inline std::string without_lines(const std::string& text, const std::string& part) {
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string line = text.substr(at, end - at);
    if (line.find(part) == std::string::npos)
      kept += line;
    at = end;
  }
  return kept;
}

inline Workload import_kineto(const std::string& text, const ImportOptions& options,
                              ImportReport& report) {
  return kineto_reader().read({text_stream(text, "t.json")}, options, report);
}

inline TraceSummary inspect_kineto(const std::string& text, ImportReport& report) {
  return kineto_reader().inspect({text_stream(text, "t.json")}, {}, report);
}

}  // namespace stepcast
