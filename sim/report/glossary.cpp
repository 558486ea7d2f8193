#include "sim/report/glossary.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "sim/report/json.hpp"
#include "sim/report/render.hpp"

namespace stepcast {

namespace {

constexpr std::array kTerms = {
    Term{"MiB", "", "Mebibytes: 1,048,576 bytes."},
    Term{"activations", "activations_bytes",
         "Outputs of all layers for one mini-batch, which the backward pass needs, in bytes "
         "(table: MiB)."},
    Term{"algorithm bandwidth", "algbw, algbw GB/s, algorithm_bandwidth_bytes_per_s",
         "Size of a collective's buffer over its time, in bytes per second, as nccl-tests prints "
         "it."},
    Term{
        "alike", "",
        "How many links of a level (NICs, GPU ports, rack uplinks) carry the same bytes as the one "
        "that is printed."},
    Term{"backward", "backward_s",
         "Seconds (tables: ms) of the iteration in which the slowest rank runs backward passes, "
         "slowed down by overlapping communication where the cluster says so."},
    Term{"bandwidth", "bandwidth_bytes_per_s",
         "Bytes per second that a link carries in one direction, as effective for a training job, "
         "not its nominal rate."},
    Term{"batch", "", "Samples that one GPU processes in one iteration."},
    Term{"begin", "begin_s", "Seconds from the begin of the iteration."},
    Term{"breakdown", "",
         "The time of one iteration of the slowest rank, in parts that add up to it: forward, "
         "backward, other compute, exposed communication, waiting and idle."},
    Term{"bus bandwidth", "busbw, busbw GB/s, bus_bandwidth_bytes_per_s",
         "Algorithm bandwidth times 2(n-1)/n (all-reduce), (n-1)/n (reduce-scatter, all-gather, "
         "all-to-all) or 1 (broadcast, reduce) for n ranks: comparable with a link's bandwidth."},
    Term{"bytes sent per GPU", "bytes_sent_per_gpu",
         "Bytes that one GPU sends in one iteration, averaged over all GPUs: the sum over the "
         "collectives; for a ring all-reduce of b bytes on n ranks 2b(n-1)/n."},
    Term{"cluster", "",
         "Nodes, GPUs, links and software of the run, from a file of configs/clusters."},
    Term{"communication", "communication_s, comm ms, busy ms",
         "Seconds (tables: ms) of the iteration in which at least one collective of the kind runs "
         "on "
         "the rank, whether or not compute overlaps it. `comm ms` is the sum over the kinds."},
    Term{"communication buffers", "communication_buffers_bytes",
         "Memory of the communication library, in bytes (table: MiB): assumed, 16 MiB a stream."},
    Term{
        "critical path", "critical_path",
        "The chain of tasks that decides the iteration time: from the start of the next iteration "
        "back, always to the task waited for that ended last. At most its 24 longest stretches are "
        "listed."},
    Term{
        "density", "",
        "Part of the gradient's entries that a rank selects and sends: k / d. Above 0, at most 1."},
    Term{"device", "", "The GPU on which the workload was profiled."},
    Term{"device memory", "device_memory_bytes",
         "Memory of the GPU, in bytes (table: MiB); 0 if unknown."},
    Term{"duration", "duration_s", "Seconds from begin to end."},
    Term{"exposed communication", "exposed_communication_s, exposed ms",
         "Seconds (tables: ms) in which a collective runs on the slowest rank and no compute does: "
         "the part that overlap does not hide. If several run, the one that started first counts."},
    Term{"factors", "factors_bytes",
         "Kronecker factors of second-order training that a GPU holds (running averages), in bytes "
         "(table: MiB); of the GPU that holds most."},
    Term{"fastest waiting", "fastest_waiting_s",
         "Seconds of the iteration in which the ranks that compute shortest wait for slower ranks; "
         "0 "
         "where all compute alike."},
    Term{"fidelity", "",
         "How communication is replayed: analytic (a collective takes its closed form), flow (a "
         "flow "
         "per ring edge, sharing links), step (every message)."},
    Term{"forward", "forward_s",
         "Seconds (tables: ms) of the iteration in which the slowest rank runs forward passes, "
         "slowed down by overlapping communication where the cluster says so."},
    Term{"fusion buffers", "fusion_buffers_bytes",
         "Copies in which gradients or parameters travel together, in bytes (table: MiB)."},
    Term{"gpus", "", "Number of GPUs: nodes times GPUs per node. One rank runs on each."},
    Term{"gpus per node", "gpus_per_node", "Number of GPUs in each node."},
    Term{"gradients", "gradients_bytes",
         "Gradients that a GPU holds, in bytes (table: MiB); its share of them where they are "
         "sharded."},
    Term{"idle", "idle_s, idle ms",
         "Seconds (tables: ms) in which the slowest rank neither computes nor communicates nor "
         "waits "
         "for another rank: negotiation, cycles and launches."},
    Term{
        "inverses", "inverses_bytes",
        "Inverted Kronecker factors that a GPU computes or receives, in bytes (table: MiB); of the "
        "GPU that holds most."},
    Term{"iteration time", "iteration, iteration ms, iteration_time_s",
         "Seconds (tables: ms) from the start of one iteration to the start of the next in the "
         "steady state; the sum of the breakdown."},
    Term{"kept by hooks", "kept_by_hooks_bytes",
         "Gradients of layer outputs that hooks keep until the Kronecker factors G are made, in "
         "bytes (table: MiB)."},
    Term{"kind", "", "How an input came to be: measured, derived from measurements, or assumed."},
    Term{
        "link", "links",
        "One direction of a connection: a GPU's port into its node, a node's NIC, a rack's uplink. "
        "The busiest are listed."},
    Term{"memory", "memory per GPU",
         "Device memory of a GPU that trains, by what it holds; workspaces of kernels are not "
         "counted."},
    Term{"method", "", "How a derived input was computed from what was measured."},
    Term{"ms", "", "Milliseconds of one iteration."},
    Term{"name", "", "Name of the schedule, as `stepcast list schedules` prints it."},
    Term{"nodes", "", "Number of nodes (machines)."},
    Term{"notes", "", "Caveats of this run, such as options that were set but have no effect."},
    Term{"optimiser", "optimiser_bytes",
         "State of the optimiser that a GPU holds, in bytes (table: MiB): one fp32 value a "
         "parameter for sgd, two for adam."},
    Term{"options", "", "Options of the schedule in force, defaults included."},
    Term{"other compute", "other_compute_s",
         "Seconds (tables: ms) of compute other than forward and backward passes, by kind: "
         "`update`, and what the schedule itself computes."},
    Term{"parameters", "parameters_bytes",
         "Parameters that a GPU holds, in bytes (table: MiB); its share of them where they are "
         "sharded."},
    Term{"passes", "",
         "Mini-batches that a GPU works through in one training step: more than one with "
         "accumulation."},
    Term{"preconditioned", "preconditioned_bytes",
         "Preconditioned gradients of second-order training, in bytes (table: MiB)."},
    Term{"provenance", "", "Where the numbers of the workload and the cluster come from."},
    Term{
        "residuals", "residuals_bytes",
        "Memory for what compressed gradients have not sent yet (error feedback), in bytes (table: "
        "MiB)."},
    Term{"results", "", "The forecasts of a comparison, in the order asked for."},
    Term{"scaling efficiency", "efficiency, scaling_efficiency",
         "(FF + BP of the trace) / iteration time: throughput against that of as many GPUs that "
         "need not communicate; 1 is perfect."},
    Term{"schedule", "",
         "The published system that orders compute and communication, such as wfbp or dear."},
    Term{"sent", "bytes", "Bytes that cross the link in one direction in one iteration."},
    Term{"share", "", "Part of the iteration time, in per cent."},
    Term{"slowest ranks", "slowest_ranks",
         "The ranks that compute longest; breakdown and critical path are theirs."},
    Term{"source", "", "Who measured an input, or what it was derived from."},
    Term{"speed-up", "speedup",
         "Throughput of the row over that of the first row of the comparison."},
    Term{"start-up", "startup",
         "Time that a collective takes however few its bytes: start-up per step times steps, plus "
         "launches. Seconds."},
    Term{"steady", "", "Whether a steady state was found. If not, iteration times are means."},
    Term{"steps", "",
         "Training steps after which the work repeats: more than one with local steps, or where "
         "some work is not done in every step. Times are means of a step."},
    Term{"throughput", "throughput_samples_per_s, samples/s",
         "Samples per second of all GPUs: batch x GPUs / iteration time."},
    Term{"total", "total_bytes",
         "Sum of the memory that the run needs on a GPU, in bytes (table: MiB)."},
    Term{"utilisation", "",
         "Bytes that cross a link in an iteration over what it could carry in that time: bytes / "
         "(bandwidth x iteration time)."},
    Term{"version", "", "Version of stepcast that made the forecast."},
    Term{"waiting for slower ranks", "waiting, waiting_s, waiting ms",
         "Seconds (tables: ms) in which the rank does not compute, is ready for a collective, and "
         "another member is not. The breakdown shows the slowest rank, which rarely waits."},
    Term{"what", "", "The tasks of a stretch of the critical path."},
    Term{
        "why", "",
        "What bounds the iteration, and which communication held back which compute for how long."},
    Term{"workers", "", "GPUs that train: all of them, but for those of remote parameter servers."},
    Term{"workload", "", "Model, device and batch: the trace of per-layer times that is replayed."},
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
