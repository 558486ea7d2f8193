#include "traces/formats/recognition/other_profilers.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "models/base/text.hpp"
#include "traces/formats/log_text.hpp"
#include "traces/json/json_text.hpp"

namespace stepcast {

namespace {

constexpr std::string_view kNsight =
    "is a report of Nsight Systems: \"stepcast diagnose\" reads what \"nsys export --type=sqlite\" "
    "makes of it, one of each rank; to import a workload, run the program under torch.profiler and "
    "export it with export_chrome_trace(\"trace.json\")";
constexpr std::string_view kNsightExport =
    "is an export of Nsight Systems, of which \"stepcast diagnose\" reads those of a job's ranks "
    "in "
    "SQLite; to import a workload, run the program under torch.profiler and export it with "
    "export_chrome_trace(\"trace.json\")";
constexpr std::string_view kRocprof =
    "is an output of rocprof, which is not read: run the program under torch.profiler, which "
    "records ROCm devices as well, and export it with export_chrome_trace(\"trace.json\")";
constexpr std::string_view kDatabase =
    "is an SQLite database, which is not read: expected a trace as torch.profiler's "
    "export_chrome_trace(\"trace.json\") writes it";
constexpr std::string_view kPerfetto =
    "is a Perfetto trace of protocol buffers, which is not read: expected a trace as "
    "torch.profiler's export_chrome_trace(\"trace.json\") writes it";

constexpr std::string_view kLegacyTorch =
    "is a trace of torch.autograd.profiler without Kineto, which records neither launches nor "
    "streams of a device and is not read: record it with "
    "torch.profiler.profile(record_shapes=True) "
    "and export it with export_chrome_trace(\"trace.json\")";

std::string_view advice_on_database(std::string_view head) {
  if (holds_any(head, {"CUPTI_ACTIVITY_KIND_", "NVTX_EVENTS", "TARGET_INFO_"}))
    return kNsightExport;
  return holds_any(head, {"rocpd_", "rocprof"}) ? kRocprof : kDatabase;
}

}  // namespace

bool is_legacy_torch_trace(std::string_view head) {
  if (json_start(head) != '[' || holds_any(head, {"NEGOTIATE_"}))
    return false;
  // It gives categories to nothing but the arrows from launches to kernels.
  if (holds_any(head, {"\"cat\""}) && !holds_any(head, {"cpu_to_cuda"}))
    return false;
  return holds_any(head, {"\"CPU functions\"", "\"CUDA functions\"", "\"aten::",
                          "\"torch::autograd::", "\"autograd::engine::", "\"ProfilerStep#"});
}

std::string_view profiler_advice(const std::filesystem::path& path, std::string_view head) {
  const std::string extension = path.extension().string();
  const auto is_named = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, extension) != names.end();
  };
  const std::string_view line = head.substr(0, head.find('\n'));
  if (head.starts_with(std::string_view("SQLite format 3\0", 16)))
    return advice_on_database(head);
  if (is_named({".nsys-rep", ".qdrep", ".qdstrm"}))
    return kNsight;
  // The columns of "nsys stats" and "nsys export --type=jsonlines".
  if ((holds_any(line, {"Start (ns)", "Total Time (ns)"}) && line.find(',') != line.npos) ||
      (line.starts_with("{\"Type\":") &&
       holds_any(head, {"\"CudaEvent\"", "\"NvtxEvent\"", "\"TraceProcessEvent\""})))
    return kNsightExport;
  if (holds_any(head, {"\"rocprofiler-sdk-tool\"", "CPU HIP API", "\"Kind\",\"Agent_Id\""}) ||
      holds_any(line, {"\"KernelName\"", "KernelName,gpu-id", "\"TotalDurationNs\""}))
    return kRocprof;
  if (is_named({".pftrace", ".perfetto-trace"}))
    return kPerfetto;
  if (is_legacy_torch_trace(head))
    return kLegacyTorch;
  return {};
}

namespace {

struct Magic {
  std::size_t offset;
  std::string_view bytes;
  std::string_view advice;
};

constexpr std::array<Magic, 6> kMagics = {{
    {257, "ustar", "is a tar archive: unpack it first (tar -xf) and give the trace in it"},
    {0, "PK\x03\x04", "is a zip archive: unpack it first (unzip) and give the trace in it"},
    {0,
     "\xFD"
     "7zXZ",
     "is compressed with xz: unpack it first (unxz); gzip is read as it is"},
    {0, "\x28\xB5\x2F\xFD",
     "is compressed with zstd: unpack it first (unzstd); gzip is read as it is"},
    {0, "BZh", "is compressed with bzip2: unpack it first (bunzip2); gzip is read as it is"},
    {0, "7z\xBC\xAF", "is a 7z archive: unpack it first (7z x) and give the trace in it"},
}};

}  // namespace

std::string_view archive_advice(std::string_view head) {
  for (const Magic& magic : kMagics)
    if (head.size() > magic.offset && head.substr(magic.offset).starts_with(magic.bytes))
      return magic.advice;
  return {};
}

}  // namespace stepcast
