#include "sim/engine/simgrid/simgrid_compat.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/resource/Action.hpp>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>
#include <xbt/log.h>

namespace stepcast {

// It keeps its Comm alive: dropping the last reference to a running Comm crashes.
struct SimGrid::Moving {
  simgrid::s4u::CommPtr comm;
  simgrid::kernel::resource::Action* action = nullptr;  // of more than one
  std::uint32_t count = 1;
  FlowListener* listener = nullptr;
  std::uint32_t tag = 0;
};

}  // namespace stepcast

namespace stepcast::simgrid_compat {
namespace {

namespace sg4 = simgrid::s4u;
namespace resource = simgrid::kernel::resource;
using Flow = SimGrid::Moving;

struct Engines {
  std::unique_ptr<sg4::Engine> engine;
  resource::Model* network = nullptr;  // found when several flows move as one for the first time
  LogLine log = nullptr;
  std::vector<std::unique_ptr<Flow>> idle;  // Flows to use again
  Flow* retired = nullptr;  // completed last; its Comm must outlive its own callback
};

Engines& engines() {
  static auto* instance = new Engines;  // never destroyed: SimGrid's statics may go first
  return *instance;
}

void retire(Flow* flow) {
  if (engines().retired != nullptr) {
    engines().retired->comm = nullptr;
    engines().idle.emplace_back(engines().retired);
  }
  engines().retired = flow;
}

template <class ActivityType>
void on_completion(const ActivityType& activity) {
  auto* flow = const_cast<Flow*>(activity.template get_data<Flow>());
  if (flow == nullptr || flow == engines().retired)
    return;
  retire(flow);
  flow->listener->flow_arrived(flow->tag);
}

// Up to 3.32 all activities have one signal, later each kind has its own.
template <class Comm, class Activity>
void register_completion_callback() {
  if constexpr (requires { Comm::on_completion_cb(on_completion<Comm>); })
    Comm::on_completion_cb(on_completion<Comm>);
  else
    Activity::on_completion_cb(on_completion<Activity>);
}

// SimGrid writes its log to a FILE; this one hands each line, "priority|message", to our log.
ssize_t take_log_line(void* /*cookie*/, const char* text, std::size_t size) {
  std::string_view line(text, size);
  if (line.ends_with('\n'))
    line.remove_suffix(1);
  const auto bar = line.find('|');
  if (bar != std::string_view::npos)
    engines().log(line.substr(0, bar), line.substr(bar + 1));
  return static_cast<ssize_t>(size);
}

void redirect_log() {
  xbt_log_control_set("root.fmt:%p|%m%n");
  cookie_io_functions_t functions{};
  functions.write = take_log_line;
  FILE* file = fopencookie(nullptr, "w", functions);
  setvbuf(file, nullptr, _IOLBF, 0);
  xbt_log_appender_set(&_XBT_LOGV(XBT_LOG_ROOT_CAT), xbt_log_appender_stream(file));
}

/// SimGrid's engine takes signals over: at SIGINT it would print its own state and leave through
/// exit(), whose destructors crash while a simulation runs. What stood before is put back.
class KeptSignals {
 public:
  KeptSignals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i)
      ::sigaction(kSignals[i], nullptr, &before_[i]);
  }
  ~KeptSignals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i)
      ::sigaction(kSignals[i], &before_[i], nullptr);
  }
  KeptSignals(const KeptSignals&) = delete;
  KeptSignals& operator=(const KeptSignals&) = delete;

 private:
  static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGABRT, SIGSEGV, SIGBUS, SIGPIPE};
  std::array<struct sigaction, kSignals.size()> before_{};
};

Flow* new_flow() {
  if (engines().idle.empty())
    return new Flow;
  Flow* flow = engines().idle.back().release();
  engines().idle.pop_back();
  return flow;
}

}  // namespace

void create_engine(LogLine log) {
  engines().log = log;
  xbt_log_control_set("xbt_cfg.thres:warning");  // it would tell of every option that we set
  const KeptSignals kept;
  engines().engine = std::make_unique<sg4::Engine>("stepcast");
  for (const char* setting :
       {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0"})
    sg4::Engine::set_config(setting);
  redirect_log();
  register_completion_callback<sg4::Comm, sg4::Activity>();
}

bool is_as_compiled() {
  int major = 0, minor = 0, patch = 0;
  sg_version_get(&major, &minor, &patch);
  return major == SIMGRID_VERSION_MAJOR && minor == SIMGRID_VERSION_MINOR;
}

// SimGrid adds what is left to its clock. From half of a date on the difference is exact, and so is
// the sum.
void advance_to(double time) {
  const double now = clock();
  if (now > 0 && now < time / 2)
    engines().engine->run_until(0.75 * time);
  if (clock() < time)
    engines().engine->run_until(time);
}

SimGridVersion version() {
  int major = 0, minor = 0, patch = 0;
  sg_version_get(&major, &minor, &patch);
  return static_cast<SimGridVersion>(major * 10000 + minor * 100 + patch);
}

double clock() {
  return sg4::Engine::get_clock();
}

void run() {
  engines().engine->run();
}

void* set_timer(double date, std::function<void()> action) {
  return simgrid::kernel::timer::Timer::set(date, std::move(action));
}

void remove_timer(void* timer) {
  static_cast<simgrid::kernel::timer::Timer*>(timer)->remove();
}

namespace {

// Nothing but flows is ever under way, so that the network is the model that has some.
resource::Model& network_of_flow_under_way() {
  resource::Model*& network = engines().network;
  if (network == nullptr)
    for (resource::Model* model : engines().engine->get_all_models())
      if (!model->get_started_action_set()->empty())
        network = model;
  if (network == nullptr)
    throw std::logic_error("SimGrid does not tell which of its models a flow belongs to");
  return *network;
}

// Their rates are one: `count` shares of each link (a penalty is 1 / shares), which a flow by
// itself, held to the bandwidth of its narrowest link, could not get.
void let_one_move_all(Flow& flow, double units) {
  resource::Action& action = network_of_flow_under_way().get_started_action_set()->back();
  action.set_remains(units * flow.count);
  action.set_bound(-1);
  action.set_sharing_penalty(1.0 / flow.count);
  flow.action = &action;
}

}  // namespace

Flow* start_flows(sg4::Host* from, sg4::Host* to, Bytes each, std::uint32_t count,
                  FlowListener& listener, std::uint32_t tag) {
  Flow* flow = new_flow();
  flow->listener = &listener;
  flow->tag = tag;
  flow->count = count;
  flow->comm = sg4::Comm::sendto_init();
  flow->comm->set_data(flow);
  // A Comm of 0 bytes never starts; the payload must be known before the second end point is set,
  // because that starts it.
  const double units = in_whole_units(each).value * kUnitsPerByte;
  flow->comm->set_payload_size(static_cast<std::uint64_t>(units));
  flow->comm->set_source(from);
  flow->comm->set_destination(to);
  if (count > 1)
    let_one_move_all(*flow, units);
  return flow;
}

// Cancelled, a Comm would complete twice; with nothing left it completes when SimGrid looks at its
// links again, which a new bound makes it do.
Bytes stop_flows(Flow& flow) {
  const double left = std::max(0.0, flow.action->get_remains());
  flow.action->set_remains(0);
  flow.action->set_bound(-1);
  return Bytes{left / flow.count / kUnitsPerByte};
}

}  // namespace stepcast::simgrid_compat
