#include "sim/report/shared_notes.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(SharedNotes, SayEachSentenceOnceWithAllThatItIsAbout) {
  SharedNotes notes;
  notes.add("8 GPUs", {"First.", "Second."});
  notes.add("16 GPUs", {"Second."});
  notes.add("16 GPUs", {"Second."});
  EXPECT_EQ(notes.text(), "Note on 8 GPUs: First.\nNote on 8 GPUs, 16 GPUs: Second.\n");
  EXPECT_EQ(notes.sentences(), (std::vector<std::string>{"First.", "Second."}));
}

TEST(SharedNotes, OfNothingAreEmpty) {
  SharedNotes notes;
  notes.add("8 GPUs", {});
  EXPECT_EQ(notes.text(), "");
}

}  // namespace
}  // namespace stepcast
