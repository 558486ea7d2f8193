#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/fields.hpp"

namespace stepcast {

/// What a note speaks of. Who chooses among notes asks this and the subject, never the text.
enum class NoteKind : std::uint8_t {
  Scope,     ///< What is forecast and what is not: means of iterations, convergence.
  Fidelity,  ///< What the fidelity leaves out.
  Option,    ///< An option of the schedule that changed nothing, or what it came to.
  Setting,   ///< A setting of the job, cluster or stragglers, that changed nothing.
  Memory,    ///< What does not fit, or is not counted.
  Workload,  ///< What the trace does not tell, or tells of something else.
  Cluster,   ///< What the cluster's file does not tell, or where its measurements end.
};
inline constexpr NoteKind kLastNoteKind = NoteKind::Cluster;

/// What a reader of a forecast should know beside its numbers.
struct Note {
  NoteKind kind = NoteKind::Scope;
  std::string subject;  ///< "convergence", "fusion_buffer", "cluster.nic.bandwidth"
  std::string text;     ///< A sentence, complete without the others.

  bool operator==(const Note&) const = default;
};
using Notes = std::vector<Note>;

auto fields_of(Is<Note> auto& note) {
  auto& [kind, subject, text] = note;
  return std::tie(kind, subject, text);
}

/// The sentences alone, for what prints them.
inline std::vector<std::string> texts_of(const Notes& notes) {
  std::vector<std::string> texts;
  for (const Note& note : notes)
    texts.push_back(note.text);
  return texts;
}

}  // namespace stepcast
