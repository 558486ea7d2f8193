#pragma once

#include <string>

#include "sim/jobs/diagnose/diagnosis.hpp"

namespace stepcast {

/// One page on a job: the verdict first, then step times, what explains the waste, slow-downs by
/// part, and the tables below.
std::string render_diagnosis(const Diagnosis& diagnosis);

/// Where the time of the slowest ranks goes, ms a step. Columns in which no rank has anything are
/// left out.
std::string render_ranks(const Diagnosis& diagnosis);

/// In which kernels the slowest rank loses against the fastest of its stage; empty: ranks are
/// alike.
std::string render_uneven_kernels(const Diagnosis& diagnosis);

/// The collectives and messages that cost most; empty: there are none.
std::string render_meetings(const Diagnosis& diagnosis);

/// What a step would take if one thing about it were better.
std::string render_gains(const Diagnosis& diagnosis);

/// Who kept others waiting most, and what the critical path over all ranks consists of: kinds of
/// work, ranks, the longest stretches of a usual step.
std::string render_path(const Diagnosis& diagnosis);

/// What changed from another run of a job to this one: both verdicts, step times, what the mean
/// rank waits, and the ranks, stages and kinds whose slow-down moved most.
std::string render_comparison(const Diagnosis& diagnosis, const Diagnosis& against);

/// A diagnosis as JSON text, indented; times in seconds. `against`: another run to compare with.
std::string diagnosis_json(const Diagnosis& diagnosis, const Diagnosis* against = nullptr);

}  // namespace stepcast
