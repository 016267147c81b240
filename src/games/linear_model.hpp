// SPDX-License-Identifier: BSD-3-Clause
// What games on linear models share: rows of data with answers, passes over batches of them, start,
// losses, and measures on held-out rows. A game adds the formulas of its field and value. No MPI.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "games/game.hpp"
#include "kernels/margins.hpp"
#include "kernels/project.hpp"
#include "kernels/row_player.hpp"

namespace parley {

/// What a game wants to know of a row.
enum class Answer {
  number,  ///< the real-valued target, or -1 and 1 for the two classes
  sign     ///< -1 and 1 for the two classes
};

/// How f_m weighs its rows, so that the mean over agents is ...
enum class Weighting {
  agents,  ///< ... the mean of the agents' own means: 1 / n_m each
  rows,    ///< ... the mean over all rows: M / n each, n the rows of all agents together
  sums     ///< ... the sum over all rows: M each
};
/// The key `weighting` of games that leave the choice.
void describe_weighting(Fields& fields, std::string& weighting);
Weighting weighting_of(const std::string& weighting);

/// UserError at [data] when the rows' answers are not what the game wants.
void expect_answers(const Deck& deck, const DataShape& data, Answer answer);

/// One pass over a batch of every local agent: its margins and workspace.
struct RowPass {
  Margins margins;
  Doubles slopes;   ///< agents x width
  Doubles weights;  ///< per agent, of each row: the rule's, times n_m / b for a batch of b
  Doubles sums;     ///< per agent

  const RowBatch& batch() const { return margins.batch; }
};

/// The rows of the local agents and the held-out rows on the device, as they are stored.
class LinearModel {
 public:
  LinearModel(const GameContext& context, Answer answer, Weighting weighting);

  std::int64_t features() const { return train_.table.features; }
  /// Training rows of all agents together, each counted once.
  std::int64_t rows() const { return rows_; }
  /// Numbers of the training rows, for players with one entry per row.
  const Indices& numbers() const { return numbers_; }
  /// Rows of the agent of the run with most of them; of held-out rows.
  std::int64_t largest_part() const { return largest_part_; }
  std::int64_t largest_held_out() const {
    return (test_rows_ + agents_.total() - 1) / agents_.total();
  }
  /// Rows of a local agent that no agent before it holds: all, or none when it holds copies.
  std::int64_t first_hand_rows(std::int64_t local) const {
    const bool copies = held_ > rows_ && agents_.first() + local > 0;
    return copies ? 0 : counts_[static_cast<std::size_t>(local)];
  }
  /// The first held-out row of the first local agent.
  std::int64_t first_held_out() const { return test_rows_ * agents_.first() / agents_.total(); }
  std::int64_t held_out_rows(std::int64_t local) const {
    const std::int64_t m = agents_.first() + local, total = agents_.total();
    return test_rows_ * (m + 1) / total - test_rows_ * m / total;
  }

  /// The rows of an oracle call: picked as Features does, or all where sample.batch = 0.
  RowPass& draw(const Exec& exec, const Sample& sample);
  /// All rows of every local agent; not the workspace of draw().
  RowPass& all();
  /// The local agents' parts of the held-out rows: agent m of M has [T m / M, T (m+1) / M).
  RowPass& held_out();
  bool has_held_out() const { return test_rows_ > 0; }

 private:
  struct Table {
    RowTable table;
    Doubles answers;
    Indices begin, count;
    std::int64_t largest = 0;  ///< rows of the agent with most of them
  };
  RowPass make_pass(const Table& from, std::int64_t batch) const;

  const Agents& agents_;
  Weighting weighting_;
  Table train_, test_;
  Indices numbers_;
  std::vector<std::int64_t> counts_;  ///< rows of each local agent
  std::int64_t rows_ = 0, held_ = 0;  ///< held_: sum over agents, more than rows_ when replicated
  std::int64_t largest_part_ = 0;
  std::int64_t test_rows_ = 0;
  std::map<std::int64_t, RowPass> passes_;
  std::optional<RowPass> all_, held_out_;
};

/// A game on a linear model; its first block is the model "w".
class LinearGame : public Game {
 public:
  const Layout& layout() const override { return layout_; }
  /// w: normal numbers of the given deviation; the other blocks constant.
  void initial(std::uint64_t seed, std::string_view agents, const Matrix& z) override;
  void field(const Exec& exec, const Matrix& z, const Sample& sample, const Matrix& f,
             const Ready& ready) override;
  /// f_m and -f_m on the rows of the latest training call, at its point as it is now.
  void losses(std::span<double> x, std::span<double> y) override;
  bool exact_records() const override { return true; }

 protected:
  /// Starting values: deviation of w, and of other blocks by name.
  struct Start {
    double deviation = 0;
    std::map<std::string, double> blocks;
  };

  LinearGame(const GameContext& context, Layout layout, LinearModel model, Start start);

  /// f = the field of f_m on the pass' rows; overwrites every block.
  virtual void evaluate(const Exec& exec, RowPass& pass, const Matrix& z, const Matrix& f) = 0;
  /// f_m on the pass' rows, per local agent.
  virtual std::vector<double> values(const Exec& exec, RowPass& pass, const Matrix& z) = 0;

  std::int64_t column(std::string_view block) const { return layout_.block(block).column; }
  Columns columns(std::string_view block) const {
    return {layout_.block(block).column, layout_.block(block).size};
  }
  /// pass.margins.products = X w.
  void products(const Exec& exec, RowPass& pass, const Matrix& z) const {
    row_products(exec, pass.batch(), z, column("w"), pass.margins.products);
  }
  /// weights(m) sum_i phi(t_i, y_i): the weighted losses of the pass' margins.
  std::vector<double> weighted_losses(const Exec& exec, RowLoss loss, RowPass& pass) const;
  /// Per agent: weights(m) sum_i pass.slopes(m, i).
  std::vector<double> weighted_sums(const Exec& exec, RowPass& pass) const;
  /// Per agent: the product of two blocks of one size.
  std::vector<double> dots(const Exec& exec, const Matrix& z, std::string_view u,
                           std::string_view v) const;

  /// f(zbar) on all rows.
  Measure value_measure();
  /// Share of held-out rows whose sign x'w has.
  Measure accuracy_measure();
  /// Mean squared x'w - y over the held-out rows.
  Measure test_error_measure();
  /// Fills the sums of a pass whose products are there.
  using RowSums = void (*)(const Exec& exec, RowPass& pass);
  /// factor times the mean over the held-out rows of what `fill` sums.
  Measure held_out_measure(const char* name, const char* unit, const char* meaning, double factor,
                           RowSums fill);
  /// Accuracy where answers are classes, error where they are targets; nothing without held-out
  /// rows.
  void add_held_out(std::vector<Measure>& list, bool targets);

  const Agents& agents_;
  Layout layout_;
  LinearModel model_;

 private:
  Start start_;
  Matrix seen_;
  RowPass* latest_ = nullptr;
};

/// What a plan tells of a game on a linear model with this layout.
GamePlan linear_plan(const Deck& deck, const DataShape& data, std::int64_t batch, Layout layout);

/// The numbers of a view on the host; waits for `exec`.
std::vector<double> to_host(const Exec& exec, const Doubles& values);

}  // namespace parley
