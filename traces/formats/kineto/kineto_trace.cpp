#include "traces/formats/kineto/kineto_trace.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "traces/formats/chrome_json/chrome_events.hpp"
#include "traces/formats/chrome_json/event_fields.hpp"
#include "traces/formats/kineto/ascend_work.hpp"
#include "traces/formats/kineto/groups/process_groups.hpp"
#include "traces/formats/kineto/mended_events.hpp"

namespace stepcast {
namespace {

constexpr Seconds kLongest{86'400};
constexpr std::int64_t kLatestTime = 1'000'000'000'000'000'000;  // Microseconds.
constexpr std::uint64_t kNanosecondsEach = 1000;                 // Microsecond.

constexpr std::string_view kAccumulateGradient = "torch::autograd::AccumulateGrad";

enum class Use { Read, Ignore, Unknown };

struct Category {
  std::string_view name;
  Use use;
  KinetoKind kind;
};

/// Categories of complete events. Ignored are those whose content other events hold too.
Category category_named(std::string_view name) {
  static const std::array<Category, 25> categories = {{
      {"cpu_op", Use::Read, KinetoKind::Operator},
      {"Operator", Use::Read, KinetoKind::Operator},
      {"user_annotation", Use::Read, KinetoKind::Annotation},
      {"python_function", Use::Read, KinetoKind::Module},
      {"cuda_runtime", Use::Read, KinetoKind::Runtime},
      {"cuda_driver", Use::Read, KinetoKind::Runtime},
      {"Runtime", Use::Read, KinetoKind::Runtime},
      {"xpu_runtime", Use::Read, KinetoKind::Runtime},
      {"xpu_driver", Use::Read, KinetoKind::Runtime},
      {"privateuse1_runtime", Use::Read, KinetoKind::Runtime},
      {"privateuse1_driver", Use::Read, KinetoKind::Runtime},
      {"mtia_runtime", Use::Read, KinetoKind::Runtime},
      {"kernel", Use::Read, KinetoKind::Kernel},
      {"Kernel", Use::Read, KinetoKind::Kernel},
      {"gpu_memcpy", Use::Read, KinetoKind::Copy},
      {"Memcpy", Use::Read, KinetoKind::Copy},
      {"gpu_memset", Use::Read, KinetoKind::Fill},
      {"Memset", Use::Read, KinetoKind::Fill},
      {"gpu_user_annotation", Use::Ignore, KinetoKind::Annotation},
      {"cuda_sync", Use::Ignore, KinetoKind::Runtime},
      {"overhead", Use::Ignore, KinetoKind::Runtime},
      {"Trace", Use::Ignore, KinetoKind::Annotation},
      {"", Use::Ignore, KinetoKind::Annotation},
      {"enqueue", Use::Ignore, KinetoKind::Runtime},
      {"dequeue", Use::Ignore, KinetoKind::Runtime},
  }};
  const auto* const found = std::ranges::find(categories, name, &Category::name);
  return found == categories.end() ? Category{name, Use::Unknown, KinetoKind::Operator} : *found;
}

/// In the traces of 2021 annotations are operators.
bool names_annotation(std::string_view name) {
  return name.starts_with("ProfilerStep#") || name.starts_with("Optimizer.") ||
         name.starts_with("enumerate(DataLoader)") || name.starts_with("## ");
}

/// Turns Chrome events into those of a training trace.
class KinetoBuilder final : public ChromeSink {
 public:
  explicit KinetoBuilder(ImportReport& report) : report_(report) {}

  KinetoTrace take();
  std::uint64_t number() const { return number_; }

  void event(const ChromeEvent& event) override;
  void stray() override;
  void property(const std::string& path, const ChromeArgument& value) override;

 private:
  std::string place() const { return fmt::format("event {}", number_); }
  Category category_of(const ChromeEvent& event);
  void take_arrow(const ChromeEvent& event);
  bool is_sound(const ChromeEvent& event);
  void note_memory(const ChromeEvent& event);
  void add_details(const ChromeEvent& event, KinetoEvent& added);
  void add_shapes(const ChromeEvent& event, KinetoEvent& added);
  void add_collective(const ChromeEvent& event, KinetoEvent& added);
  std::uint32_t name_index(const std::string& name);
  std::uint16_t thread_index(const ChromeEvent& event);
  std::uint64_t device_index(const ChromeEvent& event);
  std::int32_t stream_of(const ChromeEvent& event);

  ImportReport& report_;
  KinetoTrace trace_;
  std::uint64_t number_ = 0;
  std::unordered_map<std::string, std::uint32_t> names_;
  std::unordered_map<std::string, std::uint16_t> threads_;
  std::string thread_name_;
  std::vector<std::uint64_t> devices_;  // In order of their first work.
  ProcessGroups groups_;
  AscendWork ascend_;
};

void KinetoBuilder::event(const ChromeEvent& event) {
  ++number_;
  if (event.phase != 'X') {
    if (event.name == "[memory]")
      note_memory(event);
    if (AscendWork::is_arrow(event))
      take_arrow(event);
    if (std::string_view("MisftBEbenCPNODSTFRc").find(event.phase) == std::string_view::npos)
      report_.skip("event of an unknown phase", place());
    return;
  }
  const Category category = category_of(event);
  if (category.use == Use::Unknown)
    report_.skip("event of an unknown category", place());
  if (category.use != Use::Read || !is_sound(event))
    return;
  if (category.kind == KinetoKind::Module && !event.name.starts_with("nn.Module: "))
    return;
  KinetoEvent added{.start = *event.start,
                    .duration = *event.duration,
                    .name = name_index(event.name),
                    .kind = category.kind};
  if (added.kind == KinetoKind::Operator && names_annotation(event.name))
    added.kind = KinetoKind::Annotation;
  add_details(event, added);
  if (event.name == kAccumulateGradient)
    if (const std::uint64_t id = count_of(event.number("Record function id")); id > 0)
      trace_.record_ids.emplace(static_cast<std::uint32_t>(trace_.events.size()), id);
  trace_.events.push_back(added);
}

Category KinetoBuilder::category_of(const ChromeEvent& event) {
  if (!AscendWork::has(event))
    return category_named(event.category);
  trace_.of_ascend = true;
  return {event.category, ascend_.takes(event) ? Use::Read : Use::Ignore, KinetoKind::Kernel};
}

void KinetoBuilder::take_arrow(const ChromeEvent& event) {
  if (event.phase == 's')
    ascend_.begin_arrow(event, thread_index(event));
  else
    ascend_.end_arrow(event);
}

void KinetoBuilder::stray() {
  ++number_;
  report_.skip("entry of the list that is no event", place());
}

bool KinetoBuilder::is_sound(const ChromeEvent& event) {
  if (!event.start || !event.duration)
    report_.skip("event without a start or duration", place());
  else if (!(*event.duration >= Seconds{}))
    report_.skip("event with a negative duration", place());
  else if (*event.duration > kLongest)
    report_.skip("event of more than a day", place());
  else
    return true;
  return false;
}

/// Of the host's memory are those whose device is of type 0.
void KinetoBuilder::note_memory(const ChromeEvent& event) {
  if (count_of(event.number("Device Type")) == 0)
    return;
  const auto total = [&](const char* key) {
    return Bytes{static_cast<double>(count_of(event.number(key)))};
  };
  trace_.most_allocated = std::max(trace_.most_allocated, total("Total Allocated"));
  trace_.most_reserved = std::max(trace_.most_reserved, total("Total Reserved"));
}

void KinetoBuilder::add_details(const ChromeEvent& event, KinetoEvent& added) {
  if (is_device_work(added.kind)) {
    added.stream = AscendWork::has(event) ? ascend_.stream_of(event) : stream_of(event);
    if (AscendWork::has(event))
      ascend_.add(event, static_cast<std::uint32_t>(trace_.events.size()));
    added.amount = count_of(event.number("bytes"));
  } else {
    added.thread = thread_index(event);
  }
  const bool is_operator = added.kind == KinetoKind::Operator;
  if (const auto joint = event.number(is_operator ? "Sequence number" : "correlation");
      is_count(joint))
    added.joint = static_cast<std::int64_t>(count_of(joint));
  added.forward_thread = count_of(event.number("Fwd thread id")) > 0;
  add_shapes(event, added);
  add_collective(event, added);
}

void KinetoBuilder::add_shapes(const ChromeEvent& event, KinetoEvent& added) {
  const ChromeArgument* dims = event.find("Input Dims");
  if (dims == nullptr)
    dims = event.find("Input dims");
  if (dims == nullptr || dims->shapes.empty())
    return;
  if (added.kind != KinetoKind::Operator)
    return;
  trace_.shapes.add(event.name, dims->shapes);
  if (dims->shapes.front().empty())
    return;
  double product = 1;
  for (const double extent : dims->shapes.front())
    product *= extent;
  added.amount = count_of(product);
}

void KinetoBuilder::add_collective(const ChromeEvent& event, KinetoEvent& added) {
  if (event.text("Collective name").empty())
    return;
  added.collective = static_cast<std::uint32_t>(trace_.collectives.size());
  trace_.collectives.push_back(noted_collective(event));
}

// The list of groups may stand behind the events.
KinetoTrace KinetoBuilder::take() {
  for (KinetoCollective& noted : trace_.collectives) {
    if (noted.group.empty())
      noted.group = groups_.ranks_of(noted.group_name);
    if (noted.ranks == 0)
      noted.ranks = static_cast<std::uint32_t>(noted.group.size());
  }
  ascend_.add_launches(trace_);
  return std::move(trace_);
}

std::uint32_t KinetoBuilder::name_index(const std::string& name) {
  const auto [at, added] = names_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (added)
    trace_.names.push_back(name);
  return at->second;
}

// Work that tells no device tells it as its process.
std::uint64_t KinetoBuilder::device_index(const ChromeEvent& event) {
  constexpr std::size_t kMostDevices = 1U << 10;
  std::uint64_t device = 0;
  std::from_chars(event.process.data(), event.process.data() + event.process.size(), device);
  if (const auto number = event.number("device"); is_count(number))
    device = count_of(number);
  const auto found = std::ranges::find(devices_, device);
  const auto index = static_cast<std::size_t>(found - devices_.begin());
  if (index < devices_.size() || index == kMostDevices)
    return std::min(index, kMostDevices - 1);
  devices_.push_back(device);
  return index;
}

std::int32_t KinetoBuilder::stream_of(const ChromeEvent& event) {
  const std::uint64_t device = device_index(event);
  if (device > 0)
    report_.doubt("work on another device of the same process, taken as other streams", place());
  const std::optional<double> noted = event.number("stream");
  if (!noted || count_of(event.number("graph id")) > 0)
    trace_.streams_in_order = false;
  const std::uint64_t stream = std::min(count_of(noted), kStreamsOfADevice - 1);
  return static_cast<std::int32_t>(device * kStreamsOfADevice + stream);
}

std::uint16_t KinetoBuilder::thread_index(const ChromeEvent& event) {
  thread_name_ = event.process;
  thread_name_ += '/';
  thread_name_ += event.thread;
  const auto found = threads_.find(thread_name_);
  if (found != threads_.end())
    return found->second;
  if (threads_.size() == std::numeric_limits<std::uint16_t>::max())
    throw InputError("more than 65,535 threads in one trace");
  const auto index = static_cast<std::uint16_t>(threads_.size());
  threads_.emplace(thread_name_, index);
  trace_.threads.push_back(thread_name_);
  return index;
}

void KinetoBuilder::property(const std::string& path, const ChromeArgument& value) {
  constexpr double kLargestRank = 1e9;
  const auto whole = [&]() -> std::optional<std::uint32_t> {
    const std::optional<double> number = value.number ? value.number : number_in(value.text);
    if (!number || !(*number >= 0 && *number < kLargestRank))
      return std::nullopt;
    return static_cast<std::uint32_t>(*number);
  };
  if (path == "baseTimeNanoseconds")
    trace_.first_time_us = static_cast<std::int64_t>(count_of(value.number) / kNanosecondsEach);
  else if (path == "distributedInfo/rank")
    trace_.rank = whole();
  else if (path == "distributedInfo/world_size")
    trace_.world_size = whole();
  else if (path == "distributedInfo/nccl_version")
    trace_.nccl_version = value.text;
  else if (path == "deviceProperties/name" && trace_.device_name.empty())
    trace_.device_name = value.text;
  else
    groups_.take(path, value);
}

/// Any program may write a Chrome trace: one that holds nothing of a training is refused.
void refuse_nothing(const KinetoTrace& trace, const std::string& origin, std::uint64_t events) {
  const bool any = std::ranges::any_of(trace.events, [](const KinetoEvent& event) {
    return is_device_work(event.kind) || event.kind == KinetoKind::Operator ||
           event.kind == KinetoKind::Runtime;
  });
  if (any)
    return;
  throw InputError(fmt::format(
      "{}: expected device work (category kernel, gpu_memcpy or gpu_memset, or an argument Task "
      "Type), operators (cpu_op), calls of a runtime (such as cuda_runtime) or collectives "
      "(hcom_..), found none of them in {} event{}; traces of the profilers of PyTorch, on CUDA, "
      "ROCm, XPU and Ascend, are read",
      origin, events, events == 1 ? "" : "s"));
}

}  // namespace

KinetoTrace read_kineto_trace(ByteSource& source, const std::string& origin, ImportReport& report) {
  KinetoBuilder builder(report);
  const ChromeText text = read_chrome_json(source, origin, builder);
  if (builder.number() == 0)
    throw InputError(origin + ": expected \"traceEvents\" with events, found none");
  KinetoTrace trace = builder.take();
  refuse_nothing(trace, origin, builder.number());
  trace.first_time_us += std::clamp(text.first_time_us, -kLatestTime, kLatestTime);
  drop_far_events(trace, report);
  end_work_before_next(trace, report);
  trace.repaired_backslashes = text.repaired_backslashes;
  for (std::uint64_t i = 0; i < text.repaired_backslashes; ++i)
    report.doubt("raw backslash in a text, read as itself", "a text of the file");
  return trace;
}

}  // namespace stepcast
