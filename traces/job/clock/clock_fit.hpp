#pragma once

#include <optional>
#include <vector>

#include "traces/job/clock/clock_evidence.hpp"

namespace stepcast {

inline constexpr double kKeptResidual = 2.0 / 3;  ///< A finer model must lower it to this share.
inline constexpr double kNoResidual = 1e-8;       ///< Seconds: rounding alone.

/// An end as a point of its host's clock.
struct ClockPoint {
  std::uint64_t of = 0;  ///< Ends that are alike.
  double at = 0;
  double ahead = 0;
  double spread = 0;   ///< Of its kind, as far as it counts;
  double scatter = 0;  ///< a standard deviation.
};

/// Clocks of hosts as found from ends that are common: local = t + offset + drift t, where t counts
/// from the first step's begin.
class ClockFit {
 public:
  explicit ClockFit(const ClockEvidence& evidence);

  /// Medians in turn, over members and over collectives, until nothing moves.
  void find_offsets();
  /// Slopes of what the offsets leave, by Theil's incomplete method; those of a part are kept if
  /// the median residual of a kind on one of its hosts falls by a third and no more bounds are
  /// violated than before. Where none is, the same of clocks that begin anew in each step.
  void try_drift();
  /// The same with an offset for each step; else of those hosts alone whose clocks jump.
  void try_steps();
  /// Moves the two clocks of a violated bound by half of the excess each, until none is left or
  /// no offset fits all; where more are violated in the end, none is moved.
  void obey_bounds();

  double correction(std::uint32_t host, std::uint32_t step, double local) const {
    return offsets_[host] + drifts_[host] * (begins_[step] + local) +
           (moves_.empty() ? 0.0 : moves_[step][host]);
  }
  const std::vector<double>& offsets() const { return offsets_; }
  const std::vector<double>& drifts() const { return drifts_; }
  const std::vector<std::uint32_t>& parts() const { return parts_; }
  bool by_step() const { return !moves_.empty(); }

  double residual() const;  ///< Median over all ends.
  /// By host: median residual, and how many ends it had.
  std::vector<std::pair<double, std::size_t>> residuals_by_host() const;
  /// By host, in seconds: how well messages tell its offset against the first one of its part. Two
  /// hosts that send each other messages both ways may be as far off as these allow; what both take
  /// part in besides says no more, as ends differ from stage to stage. Along several pairs the
  /// least sum counts; hosts that collectives of others join are as one. 0: no messages are needed.
  std::vector<double> widths_by_host() const;

 private:
  std::uint32_t first_of_part(std::uint32_t host) const;
  void join_parts();
  std::vector<bool> jumping_hosts() const;
  std::vector<std::vector<double>> all_residuals() const;
  std::size_t violations() const;
  std::size_t violations_left() const;
  void spread_from(std::uint32_t host);
  std::optional<double> offset_against(std::uint32_t host) const;
  double slack_of(const ClockBound& bound) const;
  void bridge_by_messages();
  void weigh_kinds();
  bool improve();
  ClockPoint point_of(const CommonEnd& common, const EndSeen& seen, double ahead) const;
  template <typename Visit>
  void for_each_common(Visit visit) const;
  template <typename Visit>
  void for_each_common_of(std::uint32_t host, Visit visit) const;
  bool tells_drift(const CommonEnd& message) const {
    return !within_steps_ && parts_[message.seen[0].host] == parts_[message.seen[1].host];
  }
  void join_lines();
  bool set_line(std::uint32_t host, const std::vector<bool>& known);
  std::vector<std::vector<ClockPoint>> points_by_host() const;
  double add_slopes();
  bool find_drifts();
  std::vector<std::vector<double>> residuals_by_kind() const;
  bool keep_drifts(const std::vector<std::vector<double>>& before);
  void find_slopes();
  void find_offsets_anew();
  double true_end(const EndSeen& seen, std::uint32_t step) const {
    return seen.end - correction(seen.host, step, seen.end);
  }
  std::vector<double> common_ends() const;

  const ClockEvidence& evidence_;
  std::vector<std::vector<std::uint32_t>> ends_of_hosts_;      // By host, into the evidence's.
  std::vector<std::vector<std::uint32_t>> messages_of_hosts_;  // The same.
  std::vector<double> begins_;                                 // By step.
  bool within_steps_ = false;                                  // What drifts are sought in.
  std::vector<double> offsets_;
  std::vector<double> drifts_;
  std::vector<std::uint32_t> parts_;
  std::vector<bool> known_;
  std::vector<double> weights_;             // By kind.
  std::vector<double> scatters_;            // By kind: standard deviations.
  std::vector<std::vector<double>> moves_;  // By step and host; empty: none.
};

}  // namespace stepcast
