#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "models/workload/workload.hpp"

namespace stepcast {

/// What a trace does not say about itself, and how strictly to read it.
struct ImportOptions {
  std::optional<std::uint32_t> batch;  ///< Samples per step, where the trace does not tell.
  std::string model;                   ///< Default: from the file's place.
  std::string device;                  ///< Default: the format's name.
  std::string source;                  ///< Who measured it, for the provenance. Default: the file.
  bool strict = false;                 ///< Anything skipped or doubtful is an InputError.
};

/// What a reader had to skip or could not quite believe, by kind. A trace with such places is still
/// imported, but never silently.
class ImportReport {
 public:
  /// The events of one kind.
  struct Tally {
    std::uint64_t count = 0;
    std::string first;  ///< Where it happened first: "line 12".
  };

  std::string format;  ///< Name of the reader that took the file.

  void skip(const std::string& kind, const std::string& where) { add(skipped_[kind], where); }
  void doubt(const std::string& kind, const std::string& where) { add(doubtful_[kind], where); }

  const std::map<std::string, Tally>& skipped() const { return skipped_; }
  const std::map<std::string, Tally>& doubtful() const { return doubtful_; }
  bool clean() const { return skipped_.empty() && doubtful_.empty(); }

 private:
  static void add(Tally& tally, const std::string& where) {
    if (tally.count++ == 0)
      tally.first = where;
  }

  std::map<std::string, Tally> skipped_;
  std::map<std::string, Tally> doubtful_;
};

/// One trace format. The format of a file is found by its content, not by its name.
class TraceReader {
 public:
  virtual ~TraceReader() = default;

  /// As lists and error messages show it: "pipedream".
  virtual std::string name() const = 0;

  /// Whether the text that begins with `head` (some 4 KiB, or all of it) looks like this format.
  virtual bool sniff(std::string_view head) const = 0;

  /// Throws InputError that begins with `origin` and names the line or field.
  virtual Workload read(std::string_view text, const std::string& origin,
                        const ImportOptions& options, ImportReport& report) const = 0;
};

}  // namespace stepcast
