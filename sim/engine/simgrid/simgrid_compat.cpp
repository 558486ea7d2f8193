#include "sim/engine/simgrid/simgrid_compat.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/resource/Action.hpp>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>
#if __has_include(<simgrid/kernel/resource/NetworkModelIntf.hpp>)
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#endif
#include <xbt/log.h>

#include "models/base/error.hpp"

// SimGrid's clock, static in every version from 3.32 to 4.0 and exported, but in no public header.
// Weak: where a version lacks it, the clock just goes on.
extern double simgrid_clock __asm__("_ZN7simgrid6kernel10EngineImpl4now_E") __attribute__((weak));

// What SimGrid takes for the running context, a variable of each thread: null in any but the one
// that made the engine, which then crashes. Exported in every version, but in no public header.
// Weak: where a version lacks them, only that thread can simulate.
void* simgrid_context() __asm__("_ZN7simgrid6kernel7context7Context4selfEv") __attribute__((weak));
void set_simgrid_context(void* context) __asm__(
    "_ZN7simgrid6kernel7context7Context11set_currentEPS2_") __attribute__((weak));

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
  resource::Model* network = nullptr;  // of the platform; null where it is hidden
  LogLine log = nullptr;
  std::vector<std::unique_ptr<Flow>> idle;  // Flows to use again
  Flow* retired = nullptr;  // completed last; its Comm must outlive its own callback
  void* context = nullptr;  // of the thread that made the engine
  std::thread::id thread;
};

Engines& engines() {
  static Engines* instance = new Engines;  // never destroyed: SimGrid's statics may go first
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

#if SIMGRID_VERSION < 33400
// Activity::on_completion is private and has no way to disconnect, but every platform connects one
// more handler of SimGrid's own to it, and each is called for every flow: thousands of platforms in
// a process would make flows ever slower. An explicit instantiation may name a private member.
using CompletionSignal = simgrid::xbt::signal<void(const sg4::Activity&)>;
CompletionSignal& completion_signal();
template <CompletionSignal* Member>
struct PrivateMember {
  friend CompletionSignal& completion_signal() { return *Member; }
};
template struct PrivateMember<&sg4::Activity::on_completion>;
#endif

void register_completion_callback() {
#if SIMGRID_VERSION >= 33400
  sg4::Comm::on_completion_cb([](const sg4::Comm& comm) { on_completion(comm); });
#else
  sg4::Activity::on_completion_cb([](const sg4::Activity& activity) { on_completion(activity); });
#endif
}

// Before a new platform: its model connects SimGrid's handler anew.
void forget_old_callbacks() {
#if SIMGRID_VERSION < 33400
  completion_signal().disconnect_slots();
  register_completion_callback();
#endif
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

void make_engine() {
  const KeptSignals kept;
  engines().engine = std::make_unique<sg4::Engine>("stepcast");
  engines().thread = std::this_thread::get_id();
  if (&simgrid_context != nullptr)
    engines().context = simgrid_context();
}

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
  make_engine();
  for (const char* setting :
       {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0"})
    sg4::Engine::set_config(setting);  // later engines keep them
  redirect_log();
  new_star_zone("placeholder")->seal();  // run() crashes without a zone
  register_completion_callback();        // the signal is static: once per process
}

void take_into_this_thread() {
  if (engines().thread == std::this_thread::get_id())
    return;
  if (&set_simgrid_context == nullptr || engines().context == nullptr)
    throw SimulationError(
        "this version of SimGrid simulates only in the thread that made its engine");
  set_simgrid_context(engines().context);
}

void restart_engine() {
  if (engines().retired != nullptr)
    engines().retired->comm = nullptr;
  engines().engine.reset();
  forget_old_callbacks();
  make_engine();
}

void set_clock(double time) {
  if (&simgrid_clock != nullptr)
    simgrid_clock = time;
}

std::string version() {
  int major = 0, minor = 0, patch = 0;
  sg_version_get(&major, &minor, &patch);
  return patch == 0 ? fmt::format("{}.{}", major, minor)
                    : fmt::format("{}.{}.{}", major, minor, patch);
}

namespace {

// From 4.0 on each engine has a root zone, which all others lie in; before, the first zone is the
// root.
template <class Engine>
sg4::NetZone* star_zone_of(Engine& engine, const std::string& name) {
  if constexpr (requires { engine.get_netzone_root()->add_netzone_star(name); })
    return engine.get_netzone_root()->add_netzone_star(name);
  else
    return sg4::create_star_zone(name);
}

}  // namespace

sg4::NetZone* new_star_zone(const std::string& name) {
  return star_zone_of(*engines().engine, name);
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

// From some version on SimGrid tells nobody what its network is.
template <class Network>
resource::Model* model_of(Network* network) {
  if constexpr (requires { dynamic_cast<resource::Model*>(network); })
    return dynamic_cast<resource::Model*>(network);
  return nullptr;
}

// Their rates are one: `count` shares of each link (a penalty is 1 / shares), which a flow by
// itself, held to the bandwidth of its narrowest link, could not get.
void let_one_move_all(Flow& flow, double units) {
  resource::Action& action = engines().network->get_started_action_set()->back();
  action.set_remains(units * flow.count);
  action.set_bound(-1);
  action.set_sharing_penalty(1.0 / flow.count);
  flow.action = &action;
}

}  // namespace

void set_network(sg4::NetZone& zone) {
  engines().network = model_of(zone.get_network_model());
}

bool weighs_flows() {
  return engines().network != nullptr;
}

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
