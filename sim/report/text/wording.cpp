#include "sim/report/text/wording.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/text.hpp"
#include "models/network/adapters.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {

std::string setup_of(std::string_view workload, std::string_view cluster, std::uint32_t nodes,
                     std::uint32_t gpus_per_node) {
  return fmt::format("{} on {}, {} ({} x {})", workload, cluster,
                     gpus_in_words(nodes * gpus_per_node), nodes, gpus_per_node);
}

std::string adapters_in_title(const Cluster& cluster) {
  return cluster.nodes > 1 && cluster.nics > 1 ? fmt::format(", {} a node", adapters_of(cluster))
                                               : "";
}

std::string setup_of(std::string_view workload, const Cluster& cluster, Fidelity fidelity) {
  return fmt::format("{}{}, {} fidelity",
                     setup_of(workload, cluster.name, cluster.nodes, cluster.gpus_per_node),
                     adapters_in_title(cluster), name_of(fidelity));
}

Notes notes_on_mean(const Forecast& forecast) {
  Notes notes = forecast.notes;
  if (forecast.steady && forecast.spread.seeds == 0)
    std::erase_if(notes, [](const Note& note) {
      return note.kind == NoteKind::Scope && note.subject == "iterations";
    });
  return notes;
}

std::string text_of(const SharedNotes& notes, std::size_t most) {
  const std::vector<SharedNotes::Entry>& entries = notes.entries();
  std::string text;
  for (std::size_t i = 0; i < std::min(most, entries.size()); ++i)
    text += wrap(
        fmt::format("Note on {}: {}", fmt::join(entries[i].about, ", "), entries[i].note.text), 2);
  if (entries.size() > most)
    text += fmt::format("and {} more notes (see --json)\n", entries.size() - most);
  return text;
}

std::string list_of(std::string_view heading, const std::vector<std::string>& sentences) {
  if (sentences.empty())
    return "";
  std::string text = fmt::format("\n{}\n", heading);
  for (const std::string& sentence : sentences)
    text += wrap(fmt::format("- {}", sentence), 2);
  return text;
}

std::string and_more(std::size_t all, std::size_t shown) {
  return all > shown ? fmt::format("and {} more\n", all - shown) : "";
}

std::string first_of(const std::vector<std::string>& items, std::size_t most) {
  const auto end = items.begin() + static_cast<std::ptrdiff_t>(std::min(items.size(), most));
  return fmt::format("{}{}", fmt::join(items.begin(), end, ", "),
                     items.size() > most ? fmt::format(" and {} more", items.size() - most) : "");
}

std::string doubtful(const std::vector<std::string>& doubts) {
  std::string text;
  for (const std::string& doubt : doubts)
    text += wrap(fmt::format("Doubtful: {}.", doubt), 2);
  return text;
}

std::string likely_line(const LikelyStep& likely, std::string_view name) {
  if (likely.basis.empty())
    return "";
  return fmt::format("{}: {} to {}\n", name, format_seconds(likely.low),
                     format_seconds(likely.high));
}

}  // namespace stepcast
