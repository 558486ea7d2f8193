#pragma once

#include <filesystem>
#include <string_view>

namespace stepcast {

/// Whether it is a list of events as torch.autograd.profiler wrote it before there was Kineto.
/// `head`: the first 64 KiB or more.
bool is_legacy_torch_trace(std::string_view head);

/// What to do with a file of a profiler that is not read: Nsight Systems, rocprof and PyTorch's
/// profiler without Kineto, by the names of their reports, tables, columns and events. `head`: the
/// first 64 KiB or more. Empty: none of them.
std::string_view profiler_advice(const std::filesystem::path& path, std::string_view head);

/// What to tell the user of a file that begins like an archive, or like a compression that is not
/// read: "is a tar archive: unpack it first (tar -xf)". Empty for any other.
std::string_view archive_advice(std::string_view head);

}  // namespace stepcast
