#include "sim/engine/network/fair_links.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/engine/take_slot.hpp"

// Two events a message, its begin after the start-up and its end, on a heap of our own behind one
// event of the queue: .1 us each. A message that meets nobody costs nothing else. Where some meet,
// all that are joined to them through shared links get new rates by progressive filling, once for
// all that happens at an instant: messages + rounds x links, as many rounds as there are rates.
//
// With Reach::Near the users of the links that have changed share what all others leave them. Then
// a link counts as changed, too, if others keep more than a fair share of it, or would take what is
// left, and its users join; a change of one link fades out along the others. Rates are those of
// Reach::All within a few percent, and links carry no more than they can at any time.

namespace stepcast {
namespace {

constexpr std::uint32_t kBegins = 0;
constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

FairLinks::FairLinks(const Cluster& cluster, EventQueue& queue, Reach reach)
    : queue_(queue),
      links_(cluster),
      capacity_(links_.bandwidths()),
      users_(capacity_.size()),
      armed_for_(kNever),
      reach_(reach),
      is_met_(capacity_.size(), 0),
      is_whole_(capacity_.size(), 0),
      left_(capacity_.size()),
      left_for_(capacity_.size()) {}

void FairLinks::send(Rank from, Rank to, Bytes size, Seconds startup, FlowListener& listener,
                     std::uint32_t tag) {
  const std::uint32_t id = take_slot(transfers_, idle_, "messages");
  Transfer& transfer = transfers_[id];
  transfer.path = links_.path(from, to);
  transfer.tag = tag;
  transfer.listener = &listener;
  transfer.left = size.value;
  transfer.rate = 0;
  post((queue_.now() + startup).value, id, kBegins);
  arm();
}

void FairLinks::set_port(Rank rank, double share) {
  for (const LinkId link : links_.port_of(rank)) {
    const double capacity = links_.bandwidths()[link] * share;
    if (capacity_[link] == capacity)
      continue;
    capacity_[link] = capacity;
    changed_.push_back(link);
  }
  if (!running_)
    share_now();
}

void FairLinks::post(double time, std::uint32_t transfer, std::uint32_t version) {
  events_.push_back({time, sequence_++, transfer, version});
  std::push_heap(events_.begin(), events_.end(), Later());
}

// The queue knows of the first event only.
void FairLinks::arm() {
  if (running_ || events_.empty() || armed_for_ <= events_.front().time)
    return;
  armed_for_ = events_.front().time;
  queue_.at({armed_for_}, [this, time = armed_for_] {
    if (time == armed_for_)
      run();
  });
}

// Goes on by itself until something else is due first.
void FairLinks::run() {
  constexpr double kInstant = 1e-12;  // seconds that rounding sets simultaneous ends apart
  armed_for_ = kNever;
  running_ = true;
  while (!events_.empty()) {
    const Event event = events_.front();
    if (!changed_.empty() && event.time > queue_.now().value + kInstant) {
      share();
      continue;
    }
    if (event.time > queue_.next_time().value)
      break;  // what else is due first
    std::pop_heap(events_.begin(), events_.end(), Later());
    events_.pop_back();
    queue_.advance_to({event.time});
    if (event.version == kBegins)
      begin(event.transfer);
    else if (event.version == transfers_[event.transfer].version)
      end(event.transfer);
  }
  running_ = false;
  share_now();
}

void FairLinks::share_now() {
  if (!changed_.empty())
    share();
  arm();
}

void FairLinks::begin(std::uint32_t id) {
  Transfer& transfer = transfers_[id];
  transfer.since = queue_.now().value;
  double alone = kNever;
  bool meets_others = false;
  for (const LinkId link : transfer.path) {
    users_[link].push_back(id);
    alone = std::min(alone, capacity_[link]);
    if (users_[link].size() > 1) {
      meets_others = true;
      changed_.push_back(link);
    }
  }
  if (!meets_others)
    run_at(transfer, id, alone);
}

void FairLinks::end(std::uint32_t id) {
  Transfer& transfer = transfers_[id];
  for (const LinkId link : transfer.path) {
    std::erase(users_[link], id);
    if (!users_[link].empty())
      changed_.push_back(link);
  }
  ++transfer.version;
  FlowListener& listener = *transfer.listener;
  const std::uint32_t tag = transfer.tag;
  idle_.push_back(id);
  listener.flow_arrived(tag);
}

void FairLinks::run_at(Transfer& transfer, std::uint32_t id, double rate) {
  if (rate == transfer.rate)
    return;
  transfer.rate = rate;
  if (++transfer.version == kBegins)
    ++transfer.version;
  post(transfer.since + transfer.left / rate, id, transfer.version);
}

void FairLinks::meet(LinkId link) {
  if (std::exchange(is_met_[link], 1) == 0)
    met_.push_back(link);
}

void FairLinks::open_users(LinkId link) {
  const double now = queue_.now().value;
  is_whole_[link] = 1;
  for (const std::uint32_t id : users_[link]) {
    Transfer& transfer = transfers_[id];
    if (std::exchange(transfer.is_open, true))
      continue;
    transfer.position = static_cast<std::uint32_t>(open_.size());
    open_.push_back(id);
    transfer.left = std::max(0.0, transfer.left - transfer.rate * (now - transfer.since));
    transfer.since = now;
    for (const LinkId crossed : transfer.path)
      meet(crossed);
  }
}

// The users of what has changed and, if all are concerned, the users of all links that these cross.
void FairLinks::open_concerned() {
  for (const LinkId link : changed_)
    meet(link);
  changed_.clear();
  const std::size_t changed = met_.size();
  for (std::size_t i = 0; i < (reach_ == Reach::All ? met_.size() : changed); ++i)
    open_users(met_[i]);
}

// Whether others on the link keep more than one for whom it is the narrowest, or whether they would
// take what the users leave that get new rates.
bool FairLinks::opens_more(LinkId link) const {
  constexpr double kTolerance = 0.02;
  double change = 0;
  double least = kNever;
  double most = 0;
  bool takes_rest = false;
  for (const std::uint32_t id : users_[link]) {
    const Transfer& transfer = transfers_[id];
    if (transfer.is_open) {
      change += transfer.share - transfer.rate;
      least = transfer.narrowest == link ? std::min(least, transfer.share) : least;
    } else {
      most = std::max(most, transfer.rate);
      takes_rest = takes_rest || transfer.narrowest == link;
    }
  }
  return most * (1 - kTolerance) > least || (takes_rest && change < -kTolerance * capacity_[link]);
}

bool FairLinks::open_neighbours() {
  const std::size_t before = open_.size();
  const std::size_t met = met_.size();
  for (std::size_t i = 0; i < met; ++i)
    filling_.push_back(met_[i]);
  std::erase_if(filling_,
                [this](LinkId link) { return is_whole_[link] != 0 || !opens_more(link); });
  for (const LinkId link : filling_)
    open_users(link);
  return open_.size() > before;
}

// What the others, whose rates stay, leave of each link.
void FairLinks::begin_filling() {
  settled_.clear();
  filling_ = met_;
  for (const LinkId link : met_) {
    left_[link] = capacity_[link];
    left_for_[link] = static_cast<std::uint32_t>(users_[link].size());
    if (is_whole_[link] != 0)
      continue;
    for (const std::uint32_t id : users_[link])
      if (!transfers_[id].is_open) {
        left_[link] -= transfers_[id].rate;
        --left_for_[link];
      }
    left_[link] = std::max(left_[link], 0.0);
  }
  for (const std::uint32_t id : open_)
    transfers_[id].is_settled = false;
}

// Users of the tightest links, in the order of open_; they get their rates now.
void FairLinks::find_tight(double most) {
  tight_.clear();
  for (const LinkId link : filling_) {
    if (left_for_[link] == 0 || left_[link] / left_for_[link] > most)
      continue;
    for (const std::uint32_t id : users_[link])
      if (Transfer& transfer = transfers_[id];
          transfer.is_open && !std::exchange(transfer.is_settled, true)) {
        transfer.narrowest = link;
        tight_.push_back(id);
      }
  }
  std::ranges::sort(tight_, {}, [this](std::uint32_t id) { return transfers_[id].position; });
}

void FairLinks::fill() {
  constexpr double kRounding = 1e-12;
  begin_filling();
  while (settled_.size() < open_.size()) {
    std::erase_if(filling_, [this](LinkId link) { return left_for_[link] == 0; });
    double least = kNever;
    for (const LinkId link : filling_)
      least = std::min(least, left_[link] / left_for_[link]);
    find_tight(least * (1 + kRounding));
    for (const std::uint32_t id : tight_) {
      for (const LinkId link : transfers_[id].path) {
        left_[link] -= least;
        --left_for_[link];
      }
      transfers_[id].share = least;
      settled_.push_back(id);
    }
  }
  filling_.clear();
}

void FairLinks::share() {
  constexpr int kRounds = 4;
  met_.clear();
  open_.clear();
  open_concerned();
  fill();
  for (int round = 1; round < kRounds && reach_ == Reach::Near && open_neighbours(); ++round)
    fill();
  for (const std::uint32_t id : settled_)
    run_at(transfers_[id], id, transfers_[id].share);
  for (const std::uint32_t id : open_)
    transfers_[id].is_open = false;
  for (const LinkId link : met_)
    is_met_[link] = is_whole_[link] = 0;
}

}  // namespace stepcast
