#pragma once
// What `--figure` draws, as SVG documents. The figure of a comparison is in compare_figure.hpp.

#include <string>

namespace stepcast {

struct CapacityPlan;
struct Diagnosis;
struct Goodput;
struct ScheduleRun;
struct Tuning;

/// One forecast as an SVG document: where the step goes, what ran when in the steady iteration, how
/// busy the links are, and what the memory of a GPU holds. Of more than 48 lanes the first are
/// drawn and the title says so. An asynchronous schedule has no timeline of the steady iteration.
///
/// A pipeline is drawn for print: a row for each stage, with the passes of the steady iteration on
/// one of its ranks. Passes bear the number of their micro-batch where that fits; those of other
/// parts that a rank holds are lighter, and halves of backward passes, of inputs and of weights,
/// have colours of their own.
std::string run_figure(const ScheduleRun& run);

/// The time of each trial over the option's value, with the best marked, as an SVG document.
std::string tuning_figure(const Tuning& tuning);

/// Hours against cost of everything that was simulated and fits, the front joined by a line; below
/// it memory against step time on the best's GPUs. An SVG document.
std::string plan_figure(const CapacityPlan& plan);

/// A heat map, stages by data-parallel groups, of the slow-down with only that rank as recorded, as
/// an SVG document. Of several ranks at one place (tensor parallelism) the slowest is shown.
std::string diagnosis_svg(const Diagnosis& diagnosis);

/// The efficiency of each part of a run, as P5, P50 and P95 over seeds, as an SVG document.
/// Precondition: the goodput has bins.
std::string goodput_svg(const Goodput& goodput);

}  // namespace stepcast
