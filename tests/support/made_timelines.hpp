#pragma once
// What communication libraries record of jobs whose truth is known. Times in microseconds.

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace stepcast {

/// Events of a Chrome trace.
class MadeEvents {
 public:
  void name_process(int process, const std::string& name) {
    add(fmt::format(R"({{"name": "process_name", "ph": "M", "pid": {}, "args": {{"name": "{}"}}}})",
                    process, name));
  }
  void add(const std::string& event) { text_ += text_.empty() ? event : ",\n" + event; }
  std::string text(const std::string& more = "") const {
    return fmt::format("{{{}\"traceEvents\": [\n{}\n]}}", more, text_);
  }

 private:
  std::string text_;
};

/// BytePS: workers compute a tensor's partitions one after the other and push each to its server;
/// a server's only thread copies the first and adds the others as they arrive; all pull the sum. A
/// worker goes on with its next step when it has pulled all.
struct MadeServers {
  int workers = 3;
  int servers = 2;
  int steps = 4;
  int partitions = 6;
  std::function<double(int)> computing = [](int /*worker*/) { return 2000.0; };
  std::function<double(int)> summing = [](int /*server*/) { return 300.0; };
  double transfer = 500;
  double control = 20;  ///< On its way of a message without data.
  std::function<double(int)> offset = [](int) { return 0.0; };  ///< By worker, then by server.

  struct Files {
    std::string messages;
    std::string sums;
    double last_step = 0;  ///< How long it took.
  };

  Files files() const {
    Files made;
    MadeEvents messages, sums;
    for (int worker = 0; worker < workers; ++worker)
      for (int server = 0; server < servers; ++server) {
        messages.name_process(way(worker, server),
                              fmt::format("worker_{} -> server_{}", worker, server));
        messages.name_process(way(worker, server) + 1,
                              fmt::format("server_{} -> worker_{}", server, worker));
      }
    for (int server = 0; server < servers; ++server)
      sums.name_process(server, fmt::format("server_{}", server));
    std::vector<double> now(static_cast<std::size_t>(workers), 1000.0);
    for (int step = 0; step < steps; ++step) {
      const double before = *std::ranges::max_element(now);
      add_step(now, messages, sums);
      made.last_step = *std::ranges::max_element(now) - before;
    }
    made.messages = messages.text();
    made.sums = sums.text();
    return made;
  }

 private:
  int way(int worker, int server) const { return 2 * (worker * servers + server); }
  static std::string name(int partition, const char* stage) {
    return fmt::format("byteps.grad~PART{}.{}", partition, stage);
  }
  static void add(MadeEvents& events, int process, const std::string& name, double begin,
                  double end) {
    for (const auto& [phase, time] : {std::pair('B', begin), std::pair('E', end)})
      events.add(fmt::format(R"({{"ph": "{}", "pid": {}, "tid": 0, "name": "{}", "ts": {:.3f}}})",
                             phase, process, name, 1e6 + time));
  }

  void add_step(std::vector<double>& now, MadeEvents& messages, MadeEvents& sums) const {
    struct Push {
      int worker, partition;
      double end;
    };
    std::map<int, std::vector<Push>> at_server;
    std::map<int, double> line;
    for (int worker = 0; worker < workers; ++worker)
      for (int partition = 0; partition < partitions; ++partition) {
        const int server = partition % servers;
        double& free = line[way(worker, server)];
        const double ready = now[static_cast<std::size_t>(worker)] += computing(worker);
        const double end = std::max(ready, free) + transfer;
        const double shift = offset(workers + server);
        add(messages, way(worker, server), name(partition, "PUSH"), end - transfer + shift,
            end + shift);
        free = end;
        at_server[server].push_back({worker, partition, end});
      }
    for (auto& [server, pushes] : at_server) {
      std::ranges::stable_sort(pushes, {}, &Push::end);
      double thread = 0;
      std::map<int, int> arrived;
      std::map<int, std::vector<Push>> of;
      const auto work = [&, on = server](int partition, const char* stage, double from,
                                         double time) {
        thread = std::max(thread, from) + time;
        add(sums, on, name(partition, stage).substr(7), thread - time + offset(workers + on),
            thread + offset(workers + on));
      };
      for (const Push& push : pushes) {
        const int number = arrived[push.partition]++;
        of[push.partition].push_back(push);
        work(push.partition, number == 0 ? "COPY_FIRST" : "SUM", push.end, summing(server));
        if (number + 1 < workers)
          continue;
        work(push.partition, "COPY_MERGED", thread, 100);
        for (const Push& from : of[push.partition])
          pull(from.worker, server, push.partition, from.end, thread, line, now, messages);
      }
    }
  }

  void pull(int worker, int server, int partition, double pushed, double merged,
            std::map<int, double>& line, std::vector<double>& now, MadeEvents& messages) const {
    const double answered = pushed + control;
    const double asked = answered + control;
    add(messages, way(worker, server) + 1, name(partition, "PUSH"), answered + offset(worker),
        answered + offset(worker));
    add(messages, way(worker, server), name(partition, "PULL"), asked + offset(workers + server),
        asked + offset(workers + server));
    double& free = line[way(worker, server) + 1];
    free = std::max({free, merged, asked}) + transfer;
    add(messages, way(worker, server) + 1, name(partition, "PULL"),
        free - transfer + offset(worker), free + offset(worker));
    double& end = now[static_cast<std::size_t>(worker)];
    end = std::max(end, free);
  }
};

/// Horovod: ranks are ready for four tensors, one after the other; two at a time share a buffer,
/// which is copied in, reduced around a ring and copied out. Ranks go on when all is copied out.
struct MadeRings {
  int ranks = 4;
  int steps = 4;
  std::function<double(int)> computing = [](int /*rank*/) { return 3000.0; };  ///< Of a tensor.
  std::function<double(int)> sending = [](int /*from*/) { return 200.0; };     ///< Of a chunk.
  double cycle = 400;  ///< From the last rank's mark to the operation.
  double copy = 50;
  std::vector<int> ring = {0, 2, 1, 3};
  std::function<double(int)> offset = [](int) { return 0.0; };  ///< Of a rank's file.

  struct Files {
    std::string timeline;
    std::vector<std::string> chunks;  ///< By rank.
    double last_step = 0;
  };

  Files files() const {
    Files made;
    MadeEvents timeline;
    std::vector<MadeEvents> chunks(static_cast<std::size_t>(ranks));
    for (int tensor = 0; tensor < 4; ++tensor)
      timeline.name_process(tensor, fmt::format("grad.{}", tensor));
    std::vector<double> now(static_cast<std::size_t>(ranks), 1000.0);
    for (int step = 0; step < steps; ++step) {
      const double before = *std::ranges::max_element(now);
      add_step(now, timeline, chunks);
      made.last_step = *std::ranges::max_element(now) - before;
    }
    made.timeline = "[" + timeline.text().substr(18);
    made.timeline.pop_back();
    std::string rings;
    for (int i = 0; i < ranks; ++i)
      rings += fmt::format("{}{}[1000] -> {}[2000] via NET/Socket/0", i == 0 ? "" : ",", at(i),
                           at(i + 1));
    for (const MadeEvents& events : chunks)
      made.chunks.push_back(events.text(fmt::format(R"("RealRing": {{"0": "{}"}}, )", rings)));
    return made;
  }

 private:
  int at(int place) const { return ring[static_cast<std::size_t>(place % ranks)]; }

  void add_step(std::vector<double>& now, MadeEvents& timeline,
                std::vector<MadeEvents>& chunks) const {
    double free = 0;
    for (int buffer = 0; buffer < 2; ++buffer) {
      double last = 0;
      for (int tensor = 2 * buffer; tensor < 2 * buffer + 2; ++tensor) {
        double first = 1e12;
        for (double& time : now)
          first = std::min(first, time += computing(static_cast<int>(&time - now.data())));
        mark(timeline, "B", "NEGOTIATE_ALLREDUCE", tensor, first);
        for (const double& time : now)
          mark(timeline, "X", std::to_string(&time - now.data()), tensor, time);
        last = std::max(last, *std::ranges::max_element(now));
      }
      const double begin = last + cycle;
      const double in = std::max(begin, free) + copy;
      const double reduced = add_ring(in, buffer, chunks);
      free = reduced + copy;
      for (int tensor = 2 * buffer; tensor < 2 * buffer + 2; ++tensor) {
        mark(timeline, "E", "", tensor, begin);
        mark(timeline, "B", "ALLREDUCE", tensor, begin);
        phase(timeline, "MEMCPY_IN_FUSION_BUFFER", tensor, in - copy, in);
        phase(timeline, "NCCL_ALLREDUCE", tensor, in, reduced);
        phase(timeline, "MEMCPY_OUT_FUSION_BUFFER", tensor, reduced, free);
        mark(timeline, "E", "", tensor, free,
             R"(, "args": {"dtype": "float32", "shape": "[256, 10]"})");
      }
    }
    std::ranges::fill(now, free);
  }

  static void mark(MadeEvents& timeline, const char* phase, const std::string& name, int tensor,
                   double time, const char* more = "") {
    timeline.add(fmt::format(R"({{"ph": "{}", "name": "{}", "ts": {:.3f}, "pid": {}{}}})", phase,
                             name, time, tensor, more));
  }
  static void phase(MadeEvents& timeline, const char* name, int tensor, double begin, double end) {
    mark(timeline, "B", name, tensor, begin);
    mark(timeline, "E", "", tensor, end);
  }

  /// When the ring has ended.
  double add_ring(double begin, int buffer, std::vector<MadeEvents>& chunks) const {
    const auto count = static_cast<std::size_t>(ranks);
    std::vector<double> sent(count, begin), received(count, begin);
    for (int step = 0; step < 2 * (ranks - 1); ++step) {
      std::vector<double> ends(count);
      for (std::size_t i = 0; i < count; ++i)
        ends[i] = std::max(sent[i], received[i]) + sending(at(static_cast<int>(i)));
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t next = (i + 1) % count;
        const int from = at(static_cast<int>(i)), to = at(static_cast<int>(next));
        chunk(chunks, from, "SEND", buffer, step, ends[i] - sending(from), ends[i]);
        chunk(chunks, to, "RECV", buffer, step, received[next], ends[i]);
      }
      sent = ends;
      for (std::size_t i = 0; i < count; ++i)
        received[(i + 1) % count] = ends[i];
    }
    return *std::ranges::max_element(received);
  }

  void chunk(std::vector<MadeEvents>& chunks, int rank, const char* way, int buffer, int step,
             double begin, double end) const {
    chunks[static_cast<std::size_t>(rank)].add(fmt::format(
        R"({{"ph": "X", "pid": "c", "tid": "t", "name": "horovod_allreduce.{}+{}.{}", "ts": {:.3f}, "dur": {:.3f}, "args": {{"loopId": 0, "channelId": 0, "chunkId": {}, "sliceId": 0}}}})",
        2 * buffer, 2 * buffer + 1, way, 5e6 + begin + offset(rank), end - begin, step));
  }
};

}  // namespace stepcast
