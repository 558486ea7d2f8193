#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "traces/readers/reader.hpp"

namespace stepcast {

/// Formats of the work of whole jobs, which "stepcast diagnose" alone reads.
enum class JobFormat : std::uint8_t {
  OperationsTable,   ///< CSV, a row for each operation of each rank.
  NsightExport,      ///< A database that Nsight Systems exports.
  BytepsWorker,      ///< BytePS's comm.json of a rank.
  BytepsServers,     ///< Messages and sums of BytePS's servers.
  RingChunks,        ///< What NCCL's rings of a rank sent, beside Horovod's timeline.
  FrameworkProfile,  ///< TensorFlow's or MXNet's profiler.
};

/// The format of a file: one of a job's, or that of a reader, or none.
struct RecognisedFile {
  std::optional<JobFormat> job;
  const TraceReader* reader = nullptr;

  /// As error messages show it; nullopt: no known format.
  std::optional<std::string> name() const;
};

/// Recognises the format of a file by its content; all commands that read traces ask it. It looks
/// at the first 256 KiB, at the outer keys of a JSON object whose front says nothing, and at the
/// whole first message of protocol buffers. Throws InputError for an empty file, an archive and the
/// output of a tool that no command reads, with what to do.
RecognisedFile recognise(const std::filesystem::path& path);

/// Says which command reads a file that is no trace for a reader; empty if none does.
std::string command_for(const std::filesystem::path& path, const RecognisedFile& file);

/// The readers in the order in which they are tried: the first that takes a file has it. A new
/// format is a folder beside these, and one line there.
std::span<const TraceReader* const> trace_readers();

}  // namespace stepcast
