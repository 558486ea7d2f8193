#include <algorithm>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/formats/chakra/chakra_graph.hpp"
#include "traces/job/job_formats.hpp"
#include "traces/job/streams/stream_timeline.hpp"

namespace stepcast {
namespace {

/// Chakra's names end with the rank: "chakra.3.json", "llama.12.et".
std::optional<std::uint32_t> rank_in_name(const std::string& origin) {
  std::string stem = std::filesystem::path(origin).stem().string();
  if (stem.ends_with(".json") || stem.ends_with(".et"))
    stem = std::filesystem::path(stem).stem().string();  // It was compressed.
  const std::string digits = stem.substr(stem.rfind('.') + 1);
  const bool is_number = !digits.empty() && digits.size() < 7 && digits.size() < stem.size() &&
                         digits.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? std::optional(parse_count(digits)) : std::nullopt;
}

constexpr const char* kUpdate = "optimizer";

class ChakraTimeline {
 public:
  ChakraTimeline(std::vector<ChakraNode> nodes, const std::string& origin, ImportReport& report)
      : nodes_(std::move(nodes)), origin_(origin), report_(report) {
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (!places_.emplace(nodes_[i].id, i).second)
        throw InputError(
            fmt::format("{}: node {}: the number is there twice", origin_, nodes_[i].id));
    timed_ = std::ranges::all_of(
        nodes_, [](const ChakraNode& node) { return node.on_host || node.start.has_value(); });
  }

  RankTimeline run() {
    RankRecord record;
    record.origin = origin_;
    record.rank = rank_in_name(origin_);
    std::vector<StreamWork> works = timed_ ? recorded() : concluded();
    RankTimeline timeline = timeline_of(std::move(record), std::move(works), report_);
    timeline.timed = timed_;
    return timeline;
  }

 private:
  StreamWork work_of(const ChakraNode& node, Seconds begin) const {
    StreamWork of = work_by_name(name_of_launcher(node));
    if (!node.communicates &&
        updates(node))  // A fused update may be known by the kernel's name alone.
      of = work_by_name(kUpdate);
    const std::string pass = of.work.part;
    of.work.name = fmt::format("{}: {}", pass, node.name);
    of.stream = "compute";
    if (node.communicates) {
      of.stream = "communication";
      of.kind = node.collective;
      make_transfer(node.collective, of.work);
      of.work.name = fmt::format("{} {}", of.work.part, format_bytes(node.size));
      of.work.size = node.size;
    }
    of.step = "graph";
    of.work.begin = begin;
    of.work.end = begin + node.duration;
    return of;
  }

  /// Of the host's operator that launched it, which tells the pass; else its own.
  const std::string& name_of_launcher(const ChakraNode& node) const {
    for (const std::uint64_t before : node.data_dependencies)
      if (const auto found = places_.find(before);
          found != places_.end() && nodes_[found->second].on_host)
        return nodes_[found->second].name;
    return node.name;
  }

  bool updates(const ChakraNode& node) const {
    return work_by_name(name_of_launcher(node)).work.updates ||
           work_by_name(node.name).work.updates;
  }

  std::vector<StreamWork> recorded() const {
    std::vector<StreamWork> works;
    Seconds first{1e300};
    for (const ChakraNode& node : nodes_)
      if (!node.on_host)
        first = std::min(first, *node.start);
    for (const ChakraNode& node : nodes_)
      if (!node.on_host)
        works.push_back(work_of(node, *node.start - first));
    return works;
  }

  /// Whether the host launched it and no dependency on the device's work is noted: its stream alone
  /// tells what it follows.
  bool follows_its_stream(const ChakraNode& node) const {
    bool launched = false;
    for (const std::uint64_t before : node.data_dependencies)
      if (const auto found = places_.find(before); found != places_.end()) {
        if (!nodes_[found->second].on_host)
          return false;
        launched = true;
      }
    return launched;
  }

  /// In order of the list, in which what is waited for stands before who waits. Work that follows
  /// its stream does as PyTorch has it: a collective also waits for what was computed before its
  /// launch, and the update, or whatever is computed after the last collective, for all sums.
  std::vector<StreamWork> concluded() {
    report_.doubt("graph without times: work begins as soon as what it waits for has ended",
                  origin_);
    std::vector<StreamWork> works;
    std::vector<Seconds> ends(nodes_.size());
    Seconds computed{};
    Seconds communicated{};
    const auto last =
        std::ranges::find_if(nodes_.rbegin(), nodes_.rend(), &ChakraNode::communicates);
    const auto after_last = static_cast<std::size_t>(nodes_.rend() - last);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const ChakraNode& node = nodes_[i];
      Seconds begin{};
      for (const std::uint64_t before : node.data_dependencies)
        if (const auto found = places_.find(before); found != places_.end())
          begin = std::max(begin, ends[found->second]);
      if (node.on_host) {
        ends[i] = begin;  // How far the host runs ahead is not known.
        continue;
      }
      Seconds& busy = node.communicates ? communicated : computed;
      const bool waits_for_others =
          follows_its_stream(node) && (node.communicates || updates(node) || i >= after_last);
      begin = std::max(waits_for_others ? std::max(computed, communicated) : busy, begin);
      ends[i] = busy = begin + node.duration;
      works.push_back(work_of(node, begin));
    }
    return works;
  }

  std::vector<ChakraNode> nodes_;
  const std::string& origin_;
  ImportReport& report_;
  std::unordered_map<std::uint64_t, std::size_t> places_;
  bool timed_ = true;
};

}  // namespace

RankTimeline read_chakra_timeline(const TraceStream& file, ImportReport& report) {
  const std::string text = text_of(file);
  return ChakraTimeline(parse_chakra(text, file.origin), file.origin, report).run();
}

}  // namespace stepcast
