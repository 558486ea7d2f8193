#include "sim/study/validate/cases/model_form.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/workload/transformer/presets.hpp"

namespace stepcast {
namespace {

constexpr std::uint32_t kWidthOfGpt = 4;  // inner size of an MLP over hidden

using Form = StatedForm;

/// Another model may bear the name of a published one: its sizes tell.
Form published_form(const MeasuredLayout& row, const std::vector<PublishedModel>& published) {
  const auto listed = std::ranges::find_if(published, [&](const PublishedModel& each) {
    return each.model == row.model && each.hidden == row.hidden && each.ffn == row.ffn;
  });
  if (listed != published.end())
    return listed->form;
  const auto shipped = find_transformer(row.model);
  if (shipped && shipped->hidden == row.hidden && shipped->ffn == row.ffn)
    return {shipped->gated, shipped->tied, shipped->learned_positions};
  return {};
}

Form completed(Form form, const Form& by) {
  if (!form.gated)
    form.gated = by.gated;
  if (!form.tied)
    form.tied = by.tied;
  if (!form.learned_positions)
    form.learned_positions = by.learned_positions;
  return form;
}

std::string why_gated(const MeasuredLayout& row) {
  if (row.experts > 1)
    return "as it has experts";
  return fmt::format("as ffn is {:.4g} times hidden", static_cast<double>(row.ffn) / row.hidden);
}

std::string guess_of(const MeasuredLayout& row, const Form& stated, const ModelForm& form) {
  std::vector<std::string> guesses;
  std::vector<std::string> columns;
  if (!stated.gated) {
    guesses.push_back(
        fmt::format("an MLP that is {}, {}", form.gated ? "gated" : "not gated", why_gated(row)));
    columns.emplace_back("gated");
  }
  if (!stated.tied) {
    guesses.emplace_back(form.tied ? "a head tied to the embedding" : "a head of its own");
    columns.emplace_back("tied");
  }
  if (!stated.learned_positions) {
    guesses.emplace_back(form.learned_positions ? "learned positions" : "no learned positions");
    columns.emplace_back("positions");
  }
  if (guesses.empty())
    return "";
  return fmt::format("{} (columns that would say it: {})", fmt::join(guesses, "; "),
                     fmt::join(columns, ", "));
}

}  // namespace

ModelForm form_of(const MeasuredLayout& row, const CaseSetup& setup,
                  const std::vector<PublishedModel>& published) {
  Form stated{row.gated, row.tied, row.learned_positions};
  stated = completed(stated, published_form(row, published));
  stated = completed(stated, setup.form);
  ModelForm form;
  form.gated = stated.gated.value_or(row.experts > 1 || row.ffn != kWidthOfGpt * row.hidden);
  form.tied = stated.tied.value_or(!form.gated);
  form.learned_positions = stated.learned_positions.value_or(!form.gated);
  form.guess = guess_of(row, stated, form);
  return form;
}

}  // namespace stepcast
