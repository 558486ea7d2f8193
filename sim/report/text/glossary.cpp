#include "sim/report/text/glossary.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "sim/report/json/json.hpp"
#include "sim/report/text/render.hpp"

namespace stepcast {

namespace {

constexpr std::array kTerms = {
    Term{"MiB", "", "Mebibytes: 1,048,576 bytes."},
    Term{"NIC", "nic_bandwidth_bytes_per_s", "crossover: bandwidth of a node's network adapter."},
    Term{"a-b", "left_one_out_alpha_beta",
         "calibrate: error of an alpha-beta line that predicts a rank count from the others; "
         "median, then worst."},
    Term{"a-b fit", "fit_alpha_beta",
         "calibrate: error of one alpha-beta line (start-up + bytes / bandwidth) fitted to all "
         "rank counts."},
    Term{"activations", "activations_bytes",
         "Outputs of all layers for one mini-batch, which the backward pass needs, in bytes "
         "(table: MiB)."},
    Term{"algorithm", "",
         "How a collective passes its messages, such as ring or double-binary-tree."},
    Term{"algorithm bandwidth", "algbw, algbw GB/s, algbw_bytes_per_s",
         "Size of a collective's buffer over its time, in bytes per second, as nccl-tests prints "
         "it."},
    Term{"alike", "",
         "How many links of a level (NICs, GPU ports, rack uplinks) carry the same bytes as the "
         "one that is printed."},
    Term{"analytic", "analytic_density, simulated_density",
         "crossover: density below which the first of two schedules is faster, by counting bytes "
         "alone (analytic) or as simulated."},
    Term{"backward", "backward_s",
         "Seconds (tables: ms) of the iteration in which the slowest rank runs backward passes, "
         "slowed down by overlapping communication where the cluster says so."},
    Term{"bandwidth", "bandwidth_bytes_per_s",
         "Bytes per second that a link carries in one direction, as effective for a training job, "
         "not its nominal rate."},
    Term{"bandwidth of a ring step", "",
         "calibrate: bytes per second of one step of the ring, fitted."},
    Term{"basis", "",
         "collective: where the time comes from: measured curves or a closed form over the links."},
    Term{"batch", "", "Samples that one GPU processes in one iteration."},
    Term{"begin", "begin_s", "Seconds from the begin of the iteration."},
    Term{"best", "", "tune: the trial with the shortest time of a sample."},
    Term{"best so far ms", "",
         "tune: the shortest iteration of the trials up to this one, in ms; * marks a new one."},
    Term{"boundaries", "faster_above, faster_below",
         "crossover: pairs of schedules and the density at which the one that is faster below it "
         "gives way to the other."},
    Term{"breakdown", "",
         "The time of one iteration of the slowest rank, in parts that add up to it: forward, "
         "backward, other compute, exposed communication, waiting and idle."},
    Term{"bus bandwidth", "busbw, busbw GB/s, busbw_bytes_per_s",
         "Algorithm bandwidth times 2(n-1)/n (all-reduce), (n-1)/n (reduce-scatter, all-gather, "
         "all-to-all) or 1 (broadcast, reduce) for n ranks: comparable with a link's bandwidth."},
    Term{"bytes sent per GPU", "bytes_sent_per_gpu",
         "Bytes that one GPU sends in one iteration, averaged over all GPUs: the sum over the "
         "collectives; for a ring all-reduce of b bytes on n ranks 2b(n-1)/n."},
    Term{"cases", "", "validate: the measured runs, each with its prediction."},
    Term{"category", "categories",
         "inspect: device work by the phase that launched it: forward, backward, optimizer, "
         "communication."},
    Term{"caveat", "", "What a report cannot tell."},
    Term{"cells", "", "crossover: the densities of one network, each with its fastest schedule."},
    Term{"change", "changed_s", "replay: the what-if, and the seconds of a step with it."},
    Term{"check", "", "validate: cases that nothing was fitted to."},
    Term{"checks by schedule", "checks_by_schedule",
         "validate: errors of the check cases of each schedule."},
    Term{"clock offset", "clock_offset_s",
         "inspect: seconds by which the clock of a rank is ahead of rank 0's: the median "
         "difference of the ends of collectives."},
    Term{"cluster", "",
         "Nodes, GPUs, links and software of the run, from a file of configs/clusters."},
    Term{"collective", "collectives", "The operation: all-reduce, all-gather, ..."},
    Term{"collectives of a step", "collectives_s",
         "replay: seconds of collectives in a recorded step."},
    Term{"communicating", "communicating_s",
         "inspect: time of the step in which a collective runs on the device."},
    Term{"communication", "communication_s, comm ms, busy ms",
         "Seconds (tables: ms) of the iteration in which at least one collective of the kind runs "
         "on the rank, whether or not compute overlaps it. `comm ms` is the sum over the kinds."},
    Term{"communication buffers", "communication_buffers_bytes",
         "Memory of the communication library, in bytes (table: MiB): assumed, 16 MiB a stream."},
    Term{"computing", "computing_s", "inspect: time of the step in which the device computes."},
    Term{"copies", "input_copies_s",
         "inspect: time of the step in which data is copied from the host to the device."},
    Term{"count", "", "How many there are."},
    Term{"counts", "", "solve: whether the epochs to the target are measured or assumed."},
    Term{"critical path", "critical_path",
         "The chain of tasks that decides the iteration time: from the start of the next iteration "
         "back, always to the task waited for that ended last. At most its 24 longest stretches "
         "are listed."},
    Term{"curve", "left_one_out",
         "calibrate: error of the measured curves, each rank count being predicted from the "
         "others; median, then worst."},
    Term{"curves", "",
         "scaling: the step times of a schedule on a cluster by GPUs. calibrate: the measured "
         "points of each rank count."},
    Term{"dear/best", "", "demo: step time of dear over that of the fastest other schedule."},
    Term{"densities", "", "crossover: the columns: parts of the gradient that are selected."},
    Term{
        "density", "",
        "Part of the gradient's entries that a rank selects and sends: k / d. Above 0, at most 1."},
    Term{"device", "", "The GPU on which the workload was profiled."},
    Term{"device memory", "device_memory_bytes",
         "Memory of the GPU, in bytes (table: MiB); 0 if unknown."},
    Term{
        "doubtful", "",
        "import, inspect: records that were used although something in them contradicts, by kind."},
    Term{"duration", "duration_s", "Seconds from begin to end."},
    Term{"epochs", "", "solve: passes over the data set until the target is reached."},
    Term{"error", "median_error",
         "(predicted - measured) / measured, or simulated against recorded; above 0 is too slow. "
         "In summaries the median, without its sign."},
    Term{"errors", "", "calibrate: the errors of one rank count, by the way of predicting it."},
    Term{"exposed communication", "exposed_communication_s, exposed ms",
         "Seconds (tables: ms) in which a collective runs on the slowest rank and no compute does: "
         "the part that overlap does not hide. If several run, the one that started first counts."},
    Term{"factor-communication", "",
         "breakdown: seconds of the step that the exchange of Kronecker factors adds."},
    Term{"factor-computation", "",
         "breakdown: seconds of the step that making Kronecker factors adds."},
    Term{"factors", "factors_bytes",
         "Kronecker factors of second-order training that a GPU holds (running averages), in bytes "
         "(table: MiB); of the GPU that holds most."},
    Term{"facts", "", "inspect: what the trace says of itself."},
    Term{"fastest", "", "crossover: the schedule with the shortest step."},
    Term{"fastest waiting", "fastest_waiting_s",
         "Seconds of the iteration in which the ranks that compute shortest wait for slower ranks; "
         "0 where all compute alike."},
    Term{"ff-bp", "", "breakdown: seconds of the step with forward and backward passes alone."},
    Term{"fidelity", "",
         "How communication is replayed: analytic (a collective takes its closed form), flow (a "
         "flow per ring edge, sharing links), step (every message)."},
    Term{"fit", "fits", "calibrate: a curve of a collective that a cluster file can name."},
    Term{"format", "", "The kind of the file, such as kineto."},
    Term{"forward", "forward_s",
         "Seconds (tables: ms) of the iteration in which the slowest rank runs forward passes, "
         "slowed down by overlapping communication where the cluster says so."},
    Term{"free selection", "", "crossover: the boundary if selecting entries cost nothing."},
    Term{"fusion buffers", "fusion_buffers_bytes",
         "Copies in which gradients or parameters travel together, in bytes (table: MiB)."},
    Term{"gpus", "", "Number of GPUs: nodes times GPUs per node. One rank runs on each."},
    Term{"gpus per node", "gpus_per_node", "Number of GPUs in each node."},
    Term{"gradient-communication", "",
         "breakdown: seconds of the step that the exchange of gradients adds."},
    Term{"gradients", "gradients_bytes",
         "Gradients that a GPU holds, in bytes (table: MiB); its share of them where they are "
         "sharded."},
    Term{"half within", "clock_offset_spread_s",
         "inspect: half of the collectives give a clock offset within this much of the median."},
    Term{"holds up others", "holding_up_s",
         "inspect: seconds a step that all other ranks wait for this one alone."},
    Term{"hours", "", "solve: iterations x iteration time, in hours (JSON: time_s, seconds)."},
    Term{"idle", "idle_s, idle ms",
         "Seconds (tables: ms) in which the slowest rank neither computes nor communicates nor "
         "waits for another rank: negotiation, cycles and launches."},
    Term{"idle for collectives", "idle_for_collectives_s",
         "inspect: time of the step in which the device computes nothing until a collective has "
         "ended."},
    Term{"idle for host", "idle_for_host_s",
         "inspect: time of the step in which the device computes nothing because the host launches "
         "its next work late."},
    Term{"inverse-communication", "",
         "breakdown: seconds of the step that the exchange of inverses adds."},
    Term{"inverse-computation", "", "breakdown: seconds of the step that inverting factors adds."},
    Term{"inverses", "inverses_bytes",
         "Inverted Kronecker factors that a GPU computes or receives, in bytes (table: MiB); of "
         "the GPU that holds most."},
    Term{"iteration time", "iteration, iteration ms, iteration_time_s",
         "Seconds (tables: ms) from the start of one iteration to the start of the next in the "
         "steady state; the sum of the breakdown."},
    Term{"iterations", "", "solve: training steps until the target is reached."},
    Term{"kept by hooks", "kept_by_hooks_bytes",
         "Gradients of layer outputs that hooks keep until the Kronecker factors G are made, in "
         "bytes (table: MiB)."},
    Term{"kernels and copies", "kernels_and_copies_s",
         "replay: seconds of device work of a recorded step, collectives left out."},
    Term{"kind", "", "How an input came to be: measured, derived from measurements, or assumed."},
    Term{"label", "", "Name of a case or of a way to the target."},
    Term{"last to", "last_to_collectives",
         "inspect: number of collectives to which this rank came last."},
    Term{"left out", "left_one_out_s",
         "calibrate: points that are outliers. left_one_out_s: what the other rank counts predict "
         "for a point, in seconds."},
    Term{"link", "links",
         "One direction of a connection: a GPU's port into its node, a node's NIC, a rack's "
         "uplink. The busiest are listed."},
    Term{"low", "high", "tune: the ends of the range that is searched."},
    Term{"mean", "mean_s", "Sum over count."},
    Term{"mean step", "mean_step_s", "inspect: mean time of the steps of a rank."},
    Term{"mean time", "", "inspect: mean time of a collective of this kind and size."},
    Term{"measured", "measured_s", "Seconds of an iteration that somebody measured."},
    Term{"median", "median_s", "Half of the values are below it."},
    Term{"memory", "memory per GPU",
         "Device memory of a GPU that trains, by what it holds; workspaces of kernels are not "
         "counted."},
    Term{"memory bandwidth", "memory_bandwidth", "Bytes per second of a GPU's memory."},
    Term{"method", "", "How a derived input was computed from what was measured."},
    Term{"model", "", "demo: the network that is trained."},
    Term{"ms", "", "Milliseconds of one iteration."},
    Term{"name", "", "Name of the schedule, as `stepcast list schedules` prints it."},
    Term{"network", "networks",
         "The links between nodes; crossover: one for each bandwidth and number of nodes."},
    Term{"no overlap", "", "crossover: the boundary if communication never ran beside compute."},
    Term{"no start-ups", "", "crossover: the boundary if no message had a start-up."},
    Term{"nodes", "", "Number of nodes (machines)."},
    Term{"notes", "", "Caveats of this run, such as options that were set but have no effect."},
    Term{"optimiser", "optimiser_bytes",
         "State of the optimiser that a GPU holds, in bytes (table: MiB): one fp32 value a "
         "parameter for sgd, two for adam."},
    Term{"option", "", "tune: the option of the schedule that is searched."},
    Term{"options", "", "Options of the schedule in force, defaults included."},
    Term{"other", "", "breakdown: negotiation, waiting and update."},
    Term{"other compute", "other_compute_s",
         "Seconds (tables: ms) of compute other than forward and backward passes, by kind: "
         "`update`, and what the schedule itself computes."},
    Term{"other threads", "other_threads_s",
         "replay: seconds of a recorded step in threads that the training thread calls, between "
         "launches and waits."},
    Term{"overlapped communication", "overlapped_communication_s",
         "inspect: seconds of communication beside computation."},
    Term{"own NICs", "",
         "crossover: the boundary if every GPU had a node and an adapter of its own."},
    Term{"packing", "", "breakdown: packing and unpacking of factors and inverses."},
    Term{"parameters", "parameters_bytes",
         "Parameters that a GPU holds, in bytes (table: MiB); its share of them where they are "
         "sharded."},
    Term{"part", "parts_s", "breakdown: what a part of the work adds to the seconds of a step."},
    Term{"passes", "",
         "Mini-batches that a GPU works through in one training step: more than one with "
         "accumulation."},
    Term{"peak fp32 tflops", "peak_fp32_tflops",
         "Nominal arithmetic rate of a GPU, in 10^12 operations per second."},
    Term{"points", "", "calibrate: measured sizes of a rank count."},
    Term{"preconditioned", "preconditioned_bytes",
         "Preconditioned gradients of second-order training, in bytes (table: MiB)."},
    Term{"preconditioning", "",
         "breakdown: seconds of the step that preconditioning gradients adds."},
    Term{"predicted", "predicted_s", "Seconds of an iteration as simulated."},
    Term{"protocol", "",
         "breakdown: how parts are told apart: by switching them on one after the other "
         "(ablation), or by the exclusive times of one step."},
    Term{"provenance", "", "Where the numbers of the workload and the cluster come from."},
    Term{"rank", "ranks", "A process of the job: one GPU."},
    Term{"recorded", "recorded_s", "replay: time of the step in the profile."},
    Term{"residuals", "residuals_bytes",
         "Memory for what compressed gradients have not sent yet (error feedback), in bytes "
         "(table: MiB)."},
    Term{"results", "", "The forecasts of a comparison, in the order asked for."},
    Term{"scale", "",
         "tune: whether the range is searched in even steps (linear) or even ratios (log)."},
    Term{"scaling efficiency", "efficiency, scaling_efficiency",
         "(FF + BP of the trace) x passes / iteration time: throughput against that of as many "
         "GPUs that need not communicate; 1 is perfect."},
    Term{"schedule", "",
         "The published system that orders compute and communication, such as wfbp or dear."},
    Term{"schedules", "", "Those that are compared."},
    Term{"seed", "", "tune: starts the random numbers; the same seed gives the same search."},
    Term{"sent", "bytes", "Bytes that cross the link in one direction in one iteration."},
    Term{"share", "", "Part of the iteration time, in per cent."},
    Term{"simulated", "simulated_s", "The time or boundary as simulated."},
    Term{"size", "size_bytes", "Bytes of a collective's buffer."},
    Term{"skipped", "", "import, inspect: records that were not used, by kind."},
    Term{"slowest ranks", "slowest_ranks",
         "The ranks that compute longest; breakdown and critical path are theirs."},
    Term{"smallest", "smallest_s, largest_s", "The ends of the values."},
    Term{"software", "", "validate: cases that a cost of the training software was fitted to."},
    Term{"source", "", "Who measured an input, or what it was derived from."},
    Term{"speed-up", "speedup",
         "Throughput of the row over that of the first row of the comparison."},
    Term{"standard deviation", "standard_deviation_s", "Of the steps around their mean."},
    Term{"start deviation", "start_deviation_s",
         "replay: median distance of device work from its recorded start within the step, in "
         "seconds."},
    Term{"start-up", "startup",
         "Time that a collective takes however few its bytes: start-up per step times steps, plus "
         "launches. Seconds."},
    Term{"start-up of a ring step", "startup_s",
         "calibrate: time that one step of the ring takes however few its bytes, fitted."},
    Term{"steady", "", "Whether a steady state was found. If not, iteration times are means."},
    Term{"step", "step_time", "One training step of a profile."},
    Term{"steps", "",
         "Training steps after which the work repeats: more than one with local steps, or where "
         "some work is not done in every step. Times are means of a step."},
    Term{"steps by", "", "inspect: what marks the begin of a step in the trace."},
    Term{"straggler", "", "inspect: the rank that all others wait for."},
    Term{"strategy", "", "tune: how the next trial is chosen: bo, grid, random or exhaustive."},
    Term{"sum s", "", "breakdown: seconds of this part and all above."},
    Term{"summary", "", "Errors over many cases or curves."},
    Term{"summed from", "summed_from_bytes",
         "calibrate: smallest size whose errors are counted, in bytes."},
    Term{"sustained", "sustained_s",
         "replay: seconds of the mean step, and no less than what its busiest stream has to do."},
    Term{"taken as recorded", "taken_as_recorded",
         "replay: parts of the step whose durations come from the profile."},
    Term{"target", "", "solve: the quality that training is to reach."},
    Term{"text", "value, unit",
         "tune: the value of the option as it is written (text) and as a number of this unit."},
    Term{"throughput", "throughput_samples_per_s, samples/s",
         "Samples per second of all GPUs: batch x workers x passes / iteration time."},
    Term{"time", "time_s, time us", "Of the part, step or collective."},
    Term{"total", "total_bytes",
         "Sum of the memory that the run needs on a GPU, in bytes (table: MiB)."},
    Term{"trace", "", "replay: the profile that is simulated."},
    Term{"training thread", "training_thread_s",
         "replay: seconds of a recorded step in the thread that launches forward passes, between "
         "launches and waits."},
    Term{"tree below", "tree_below_bytes",
         "calibrate: size below which the library uses a tree instead of a ring."},
    Term{"trial", "trials", "tune: one simulated value of the option, counted from 1."},
    Term{"use", "",
         "validate: what a case was fitted for (bandwidth, start-up, software), or check. "
         "calibrate: whether a point is fitted, or why it is left out."},
    Term{"utilisation", "",
         "Bytes that cross a link in an iteration over what it could carry in that time: bytes / "
         "(bandwidth x iteration time)."},
    Term{"version", "", "Version of stepcast that made the forecast."},
    Term{"waiting for slower ranks", "waiting, waiting_s, waiting ms",
         "Seconds (tables: ms) in which the rank does not compute, is ready for a collective, and "
         "another member is not. The breakdown shows the slowest rank, which rarely waits."},
    Term{
        "waits", "",
        "inspect: time a step in which the rank waits in collectives for the one that comes last."},
    Term{"way", "", "solve: a schedule with its number of epochs."},
    Term{"what", "", "The tasks of a stretch of the critical path."},
    Term{"what it does", "", "list: the schedule in a sentence."},
    Term{
        "why", "",
        "What bounds the iteration, and which communication held back which compute for how long."},
    Term{"work", "device_work", "inspect: how many kernels and copies the step launched."},
    Term{"workers", "", "GPUs that train: all of them, but for those of remote parameter servers."},
    Term{"workload", "", "Model, device and batch: the trace of per-layer times that is replayed."},
    Term{"worst", "worst_error", "The largest error of the cases, without its sign."},
    Term{"worst iteration time", "worst_iteration_time_s",
         "Seconds of the longest iteration of the steady state; more than the iteration time only "
         "where iterations alternate or the work of training steps differs."},
};

std::string plain(std::string_view name) {
  std::string text(name);
  for (char& c : text)
    c = c == '_' || c == '-' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool lists(std::string_view names, const std::string& wanted) {
  while (!names.empty()) {
    const std::size_t comma = names.find(", ");
    if (plain(names.substr(0, comma)) == wanted)
      return true;
    names.remove_prefix(comma == std::string_view::npos ? names.size() : comma + 2);
  }
  return false;
}

}  // namespace

std::span<const Term> all_terms() {
  return kTerms;
}

const Term* find_term(std::string_view name) {
  const std::string wanted = plain(name);
  const auto it = std::ranges::find_if(kTerms, [&wanted](const Term& term) {
    return plain(term.name) == wanted || lists(term.also, wanted);
  });
  return it == kTerms.end() ? nullptr : &*it;
}

std::vector<std::string> printed_columns() {
  std::vector<std::string> columns;
  for (const auto& names : {names_of_run(), names_of_comparison(), json_keys()})
    columns.insert(columns.end(), names.begin(), names.end());
  return columns;
}

}  // namespace stepcast
