#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traces/formats/reader.hpp"
#include "traces/job/job.hpp"
#include "traces/job/job_shape.hpp"

namespace stepcast {

/// Who makes a span wait.
enum class SpanMeeting : std::uint8_t {
  None,
  All,       ///< That of the same name on all other ranks.
  Sender,    ///< The receiver of the same message.
  Receiver,  ///< Its sender.
};

/// A communication of one rank, or what belongs to it, as traces of communication libraries tell.
struct CommunicationSpan {
  std::uint32_t rank = 0;            ///< In the job.
  std::uint32_t step = 0;            ///< The how many-th of its name.
  std::string name;                  ///< "PUSH of gradient_3[1]": tells it among those of its rank.
  std::string part;                  ///< What reports add it up with: "PUSH".
  std::string like;                  ///< What it is compared with; empty: its name.
  std::vector<std::string> follows;  ///< Names of spans of its rank that it waits for; empty: of
                                     ///< none, then computation leads up to it.
  std::string message;               ///< Of a sender and its receiver: what they have in common.
  SpanMeeting meets = SpanMeeting::All;
  std::uint8_t stream = 1;       ///< Where it runs.
  bool in_order = false;         ///< It waits for the one before it on its stream.
  bool computes = false;         ///< No transfer: a copy, a sum of a server.
  bool copies = false;           ///< Of memory.
  std::string arrives;           ///< It is one of those that spans which take this wait for.
  std::string takes;             ///< It waits for one that arrives, the n-th for the n-th.
  std::string sent_by;           ///< The name of the span of another rank that it waits for.
  std::uint32_t sender = 0;      ///< That rank.
  std::optional<Seconds> ready;  ///< Where computation had led up to it; none: its begin.
  Bytes size{};                  ///< 0: not known.
  Seconds begin{};
  Seconds end{};
};

/// A server of parameters: a rank of the job that computes nothing of it.
struct SpanServer {
  std::uint32_t rank = 0;  ///< Behind all workers.
  std::string name;
};

/// What is known of a job's ranks before its spans are joined.
struct SpanRanks {
  std::vector<SpanServer> servers;
  std::vector<Seconds> shifted;  ///< By rank: JobRank::shifted; empty: nobody.
  bool one_clock = false;        ///< As Job has it.
};

/// A job of which only the communication was recorded. What a rank computes in between is
/// concluded: from where a tensor was ready to where the next one was, and before the first from
/// where the rank's step before ended. The first step, before which nothing was recorded, and steps
/// that lack a span of those of the others are left out and counted. Throws InputError if no step
/// is left.
Job job_of_spans(std::vector<CommunicationSpan> spans, const std::string& origin,
                 const JobShape& shape, ImportReport& report, const SpanRanks& ranks = {});

/// Returns the last folder of the path if that is a number, as BytePS and NCCL name it after the
/// local rank; else the place in the list.
std::uint32_t rank_of_file(const TraceStream& file, std::size_t place);

}  // namespace stepcast
