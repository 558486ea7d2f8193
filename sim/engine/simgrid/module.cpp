#include <string_view>

#include "sim/engine/network/simgrid.hpp"
#include "sim/engine/simgrid/simgrid_compat.hpp"
#include "sim/engine/simgrid/star_platform.hpp"

namespace stepcast {
namespace {

class LoadedSimGrid final : public SimGrid {
 public:
  explicit LoadedSimGrid(LogLine log) : log_(log) {}
  const Platform& make_platform(const Cluster& cluster) override {
    simgrid_compat::create_engine(log_);
    platform_ = new StarPlatform(cluster);
    return *platform_;
  }
  const Platform& platform() const override { return *platform_; }
  void advance_to(double time) override { simgrid_compat::advance_to(time); }
  double clock() const override { return simgrid_compat::clock(); }
  void run() override { simgrid_compat::run(); }
  void* set_timer(double date, std::function<void()> action) override {
    ++activities_;
    return simgrid_compat::set_timer(date, std::move(action));
  }
  void remove_timer(void* timer) override { simgrid_compat::remove_timer(timer); }
  Moving* start_flows(simgrid::s4u::Host* from, simgrid::s4u::Host* to, Bytes each,
                      std::uint32_t count, FlowListener& listener, std::uint32_t tag) override {
    ++activities_;
    return simgrid_compat::start_flows(from, to, each, count, listener, tag);
  }
  Bytes stop_flows(Moving& flows) override { return simgrid_compat::stop_flows(flows); }
  std::uint64_t activities() const override { return activities_; }
  SimGridVersion version() const override { return simgrid_compat::version(); }

 private:
  std::uint64_t activities_ = 0;
  LogLine log_;
  const StarPlatform* platform_ = nullptr;  // never destroyed: it ends with the process
};

}  // namespace
}  // namespace stepcast

/// See MakeSimGrid.
extern "C" __attribute__((visibility("default"))) stepcast::SimGrid* stepcast_make_simgrid(
    const char* version, stepcast::LogLine log) {
  if (version != std::string_view(STEPCAST_VERSION) || !stepcast::simgrid_compat::is_as_compiled())
    return nullptr;
  return new stepcast::LoadedSimGrid(log);  // never destroyed: SimGrid's statics may go first
}
