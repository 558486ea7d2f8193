#include "sim/forecast/shared_notes.hpp"

#include <gtest/gtest.h>

#include "sim/report/text/wording.hpp"

namespace stepcast {
namespace {

Notes said(const std::vector<std::string>& texts) {
  Notes notes;
  for (const std::string& text : texts)
    notes.push_back({.text = text});
  return notes;
}

TEST(SharedNotes, SayEachSentenceOnceWithAllThatItIsAbout) {
  SharedNotes notes;
  notes.add("8 GPUs", said({"First.", "Second."}));
  notes.add("16 GPUs", said({"Second."}));
  notes.add("16 GPUs", said({"Second."}));
  EXPECT_EQ(text_of(notes), "Note on 8 GPUs: First.\nNote on 8 GPUs, 16 GPUs: Second.\n");
  EXPECT_EQ(notes.entries().size(), 2U);
}

TEST(SharedNotes, OfNothingAreEmpty) {
  SharedNotes notes;
  notes.add("8 GPUs", {});
  EXPECT_EQ(text_of(notes), "");
}

TEST(SharedNotes, OfManyForecastsNameTheLargestPartThatHasThem) {
  const SharedNotes notes =
      shared_notes_of({{{"dear", "4 GPUs"}, said({"Everywhere.", "Only DeAR's.", "Small."})},
                       {{"dear", "8 GPUs"}, said({"Everywhere.", "Only DeAR's.", "Large."})},
                       {{"ddp", "4 GPUs"}, said({"Small.", "Everywhere."})},
                       {{"ddp", "8 GPUs"}, said({"Everywhere."})}});
  EXPECT_EQ(text_of(notes),
            "Note on all: Everywhere.\nNote on dear: Only DeAR's.\nNote on 4 GPUs: Small.\n"
            "Note on 8 GPUs: Large.\n");
}

TEST(SharedNotes, OfOneForecastNameItsSmallestPart) {
  EXPECT_EQ(text_of(shared_notes_of({{{"dear", "4 GPUs"}, said({"One."})}})),
            "Note on 4 GPUs: One.\n");
}

TEST(SharedNotes, BeyondTheMostAreCounted) {
  SharedNotes notes;
  notes.add("8 GPUs", said({"First.", "Second.", "Third."}));
  EXPECT_EQ(text_of(notes, 1), "Note on 8 GPUs: First.\nand 2 more notes (see --json)\n");
}

}  // namespace
}  // namespace stepcast
