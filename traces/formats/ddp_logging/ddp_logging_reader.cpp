#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/formats/recognition/recognised_file.hpp"
#include "traces/json/json_text.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

/// Bytes of each bucket in "1048576, 26214400".
std::vector<Bytes> sizes_in(std::string_view list, const std::string& place) {
  std::vector<Bytes> sizes;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view item = list.substr(0, comma);
    item.remove_prefix(std::min(item.find_first_not_of(' '), item.size()));
    try {
      sizes.push_back(Bytes{static_cast<double>(parse_count(item, 1))});
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", place, error.what()));
    }
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return sizes;
}

/// The buckets in force: rebuilt ones if there are any.
std::vector<Bytes> buckets_of(const json& logging, const std::string& origin) {
  for (const char* key : {"rebuilt_bucket_sizes", "bucket_sizes"}) {
    const auto found = logging.find(key);
    if (found == logging.end())
      continue;
    if (!found->is_string())
      throw InputError(fmt::format("{}: /{}: expected sizes in bytes such as \"1048576, 26214400\"",
                                   origin, key));
    const auto sizes =
        sizes_in(found->get_ref<const std::string&>(), fmt::format("{}: /{}", origin, key));
    if (!sizes.empty())
      return sizes;
  }
  throw InputError(origin + ": /bucket_sizes: expected the sizes of the gradient buckets");
}

class DdpLoggingReader final : public TraceReader {
 public:
  std::string name() const override { return "ddp-logging"; }

  bool sniff(std::string_view head) const override {
    return json_start(head) == '{' && head.find("bucket_sizes\"") != std::string_view::npos;
  }

  Workload read(const std::vector<TraceStream>& files, const ImportOptions&,
                ImportReport&) const override {
    throw InputError(only_file(files, name()).origin +
                     ": a list of gradient buckets holds no times: import it together with the "
                     "profiler's trace of the run (stepcast inspect shows what this one holds)");
  }

  std::optional<TraceSupplement> supplement(const TraceStream& file, ImportReport&) const override {
    const json logging = parse_json(text_of(file), file.origin);
    return TraceSupplement{
        .origin = file.origin, .gradients = {}, .buckets = buckets_of(logging, file.origin)};
  }

  TraceSummary inspect(const std::vector<TraceStream>& files, const ImportOptions&,
                       ImportReport&) const override {
    const TraceStream& file = only_file(files, name());
    const json logging = parse_json(text_of(file), file.origin);
    TraceSummary summary{.format = name()};
    Bytes all{};
    for (const Bytes size : buckets_of(logging, file.origin)) {
      summary.collectives.push_back({.kind = "all-reduce", .size = size, .count = 1});
      all += size;
    }
    summary.facts = {{"gradients", format_bytes(all)}};
    return summary;
  }
};

}  // namespace

const TraceReader& ddp_logging_reader() {
  static const DdpLoggingReader reader;
  return reader;
}

}  // namespace stepcast
