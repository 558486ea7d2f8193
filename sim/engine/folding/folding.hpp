#pragma once

#include <optional>
#include <vector>

#include "models/schedule/plan.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/folding/network_section.hpp"
#include "sim/timeline/timeline.hpp"

namespace stepcast {

using MeetingId = std::uint32_t;  ///< Index of a meeting of a folding.

/// Groups of a team that keep the same times: what one of them does stands for all.
struct Meeting {
  TeamId team = 0;
  std::vector<std::uint32_t> groups;  ///< Of the team, ascending; the first represents them.
  std::vector<ClassId> members;       ///< Classes of their ranks, ascending.
};

/// Ranks grouped into classes, and which class belongs to which team of the plan.
struct Folding {
  std::vector<RankClass> classes;
  std::vector<ClassId> class_of_rank;
  std::vector<std::vector<ClassId>> members;  ///< Classes of each team of the plan, ascending.
  TeamIndex index;                            ///< Of each class among these.
  std::vector<Meeting> meetings;              ///< Team by team.
  std::vector<MeetingId> first_meeting;       ///< By team, and one more.
  std::vector<MeetingId> meeting_of;          ///< At team * classes + class; kNone: no member.
  std::vector<std::uint32_t> role_of_node;    ///< See Roles::of_node.
  std::optional<NetworkSection> section;      ///< At `flow`, where teams are one group each.
  bool is_assumed = false;  ///< See assumed_folding() and folding_with_barriers().

  std::uint32_t meetings_of(TeamId team) const {
    return first_meeting[team + 1] - first_meeting[team];
  }
  MeetingId meeting(TeamId team, ClassId rank_class) const {
    return meeting_of[team * classes.size() + rank_class];
  }
};

/// Ranks are alike if they keep the same times: same slow-down, members of the same teams, and in
/// each of these they meet ranks of the same roles over links of the same kind and load. One of
/// them then stands for all, exactly. With options.fold off every rank is a class and every group a
/// meeting of its own. Throws InputError if a straggler or a member of a team is no rank of the
/// cluster.
Folding fold_ranks(const Plan& plan, const Cluster& cluster, const EngineOptions& options);

/// At `flow`: a folding of fewer classes than `exact`, where there is one, of ranks that are alike
/// if no message finds other traffic than its counterparts in alike groups. That is not known
/// before it is simulated; the back-end, which moves the messages of all groups, throws
/// FoldingRefuted where one of alike groups ends before another.
std::optional<Folding> assumed_folding(const Plan& plan, const Cluster& cluster,
                                       const EngineOptions& options, const Folding& exact);

/// At `analytic`: one that is coarser where all ranks meet now and then, as for a gradient norm, if
/// nothing else communicates meanwhile: which adapters such a collective uses need then not tell
/// ranks apart. The back-end throws FoldingRefuted where something does. None where nothing or much
/// is of all ranks.
std::optional<Folding> folding_with_barriers(const Plan& plan, const Cluster& cluster,
                                             const EngineOptions& options);

/// An assumed folding does not hold.
struct FoldingRefuted {};

}  // namespace stepcast
