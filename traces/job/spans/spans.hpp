#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/job/job.hpp"
#include "traces/job/job_shape.hpp"
#include "traces/readers/reader.hpp"

namespace stepcast {

/// A communication of one rank, as traces of communication libraries tell them.
struct CommunicationSpan {
  std::uint32_t rank = 0;   ///< In the job.
  std::uint32_t step = 0;   ///< The how many-th of its name.
  std::string name;         ///< "PUSH of gradient_3[1]": tells it among the others of its rank.
  std::string part;         ///< What reports add it up with: "PUSH".
  std::string follows;      ///< The name of the span of its rank that it waits for; empty: none,
                            ///< then computation leads up to it.
  bool meets = true;        ///< It waits for that of the same name on all other ranks.
  std::uint8_t stream = 1;  ///< Where it runs.
  Bytes size{};             ///< 0: not known.
  Seconds begin{};
  Seconds end{};
};

/// A job of which only the communication was recorded. What a rank computes in between is
/// concluded: from where a tensor was ready to where the next one was, and before the first from
/// where the rank's step before ended. The first step, before which nothing was recorded, and steps
/// that lack a span of those of the others are left out and counted. Throws InputError if no step
/// is left.
Job job_of_spans(std::vector<CommunicationSpan> spans, const std::string& origin,
                 const JobShape& shape, ImportReport& report);

}  // namespace stepcast
