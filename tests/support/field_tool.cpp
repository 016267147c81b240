// SPDX-License-Identifier: BSD-3-Clause
// Evaluates a deck's game at given points, on one rank, so that an independent program can compare
// it with the formulas. Usage: field_tool DECK INPUT OUTPUT. INPUT (HDF5) holds z, n x agents x
// dim, and the attributes batch (0: full local data), draw and, for the proximal step, eta_x and
// eta_y. OUTPUT: field and prox, n x agents x dim; loss_x, loss_y and measures/NAME, n x agents,
// each at the agent's own row; n values of a measure that is no sum over agents.
#include <fmt/format.h>
#include <mpi.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "data/dataset.hpp"
#include "deck/reader.hpp"
#include "games/game.hpp"
#include "io/h5.hpp"
#include "kernels/runtime.hpp"
#include "plan.hpp"
#include "solver/registries.hpp"
#include "solver/rows.hpp"

namespace {

using namespace parley;

Deck read(const std::string& file) {
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return read_deck({file, text, "", {}}, registries());
}

/// What the evaluations gave, one after the other.
struct Results {
  std::vector<double> field, prox, loss_x, loss_y;
  std::vector<std::vector<double>> measures;
};

void append(std::vector<double>& to, const std::vector<Real>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

class Tool {
 public:
  Tool(const std::string& deck, const std::string& input)
      : deck_(read(deck)),
        plan_(make_plan(deck_)),
        agents_(deck_.run.agents, 0, 1),
        data_(deck_.data ? std::make_unique<DataSet>(load_data(deck_, agents_)) : nullptr),
        game_(plan_.game->make({deck_, agents_, data_.get()})),
        input_(h5::File::open(input)),
        measures_(game_->measures()) {
    results_.measures.resize(measures_.size());
  }

  void evaluate() {
    const auto shape = input_.info("z").shape;
    const auto z = input_.read<double>("z");
    const auto size = static_cast<std::size_t>(agents_.total() * game_->layout().dim());
    if (shape.size() != 3 || z.size() != static_cast<std::size_t>(shape[0]) * size) {
      fail_user("z must have shape n x {} x {}", agents_.total(), game_->layout().dim());
    }
    for (std::size_t first = 0; first < z.size(); first += size) {
      evaluate(std::span(z).subspan(first, size));
    }
  }

  void write(const std::string& name) const {
    const std::int64_t agents = agents_.total(), dim = game_->layout().dim();
    const auto n = static_cast<std::int64_t>(results_.loss_x.size()) / agents;
    auto file = h5::File::create(name);
    const auto put = [&](const std::string& set, const std::vector<double>& values, bool rows) {
      const h5::Shape shape = rows ? h5::Shape{n, agents, dim} : h5::Shape{n, agents};
      file.write(set, shape, std::span<const double>(values));
    };
    put("field", results_.field, true);
    put("prox", results_.prox, true);
    put("loss_x", results_.loss_x, false);
    put("loss_y", results_.loss_y, false);
    for (std::size_t i = 0; i < measures_.size(); ++i) {
      const h5::Shape shape = measures_[i].combine ? h5::Shape{n} : h5::Shape{n, agents};
      file.write("measures/" + measures_[i].name, shape,
                 std::span<const double>(results_.measures[i]));
    }
    file.close();
  }

 private:
  void evaluate(std::span<const double> values) {
    const Layout& layout = game_->layout();
    const Matrix z = make_matrix("tool::z", agents_.count(), layout.width());
    const Matrix f = make_matrix("tool::f", agents_.count(), layout.width());
    const std::vector<Real> packed(values.begin(), values.end());
    unpack_rows(packed, layout, z);
    const Sample sample{static_cast<std::uint64_t>(deck_.run.seed), Stream::train,
                        static_cast<std::uint64_t>(input_.read_int("/", "draw")),
                        input_.read_int("/", "batch")};
    game_->field(exec_, z, sample, f, not_watched);
    append(results_.field, pack_rows(f, layout));
    std::vector<double> x(static_cast<std::size_t>(agents_.count())), y = x;
    game_->losses(x, y);
    results_.loss_x.insert(results_.loss_x.end(), x.begin(), x.end());
    results_.loss_y.insert(results_.loss_y.end(), y.begin(), y.end());
    for (std::size_t i = 0; i < measures_.size(); ++i) {
      const std::vector<double> found = measured(measures_[i], z);
      results_.measures[i].insert(results_.measures[i].end(), found.begin(), found.end());
    }
    const bool steps = input_.has_attribute("/", "eta_x");
    const auto eta = [&](const char* key) { return steps ? input_.read_double("/", key) : 0; };
    game_->prox(exec_, z, {eta("eta_x"), eta("eta_y")});
    fence(exec_, "tool");
    append(results_.prox, pack_rows(z, layout));
  }

  /// One number per agent, at its own row; or what the measure makes of all.
  std::vector<double> measured(const Measure& measure, const Matrix& z) const {
    std::vector<double> out(static_cast<std::size_t>(agents_.count() * measure.parts));
    if (measure.combine || measure.at == Measure::At::rows) {
      measure.evaluate(exec_, z, out);
      return measure.combine ? std::vector{measure.combine(out)} : out;
    }
    // At the mean all rows are alike: each agent's row in turn.
    const Matrix alike = make_matrix("tool::alike", agents_.count(), columns_of(z));
    std::vector<double> own(out.size());
    for (std::int64_t m = 0; m < agents_.count(); ++m) {
      for (std::int64_t i = 0; i < agents_.count(); ++i)
        Kokkos::deep_copy(row(alike, i), row(z, m));
      measure.evaluate(exec_, alike, own);
      out[static_cast<std::size_t>(m)] = own[static_cast<std::size_t>(m)];
    }
    return out;
  }

  Deck deck_;
  Plan plan_;
  Agents agents_;
  Exec exec_;
  std::unique_ptr<DataSet> data_;
  std::unique_ptr<Game> game_;
  h5::File input_;
  std::vector<Measure> measures_;
  Results results_;
};

void evaluate(char** words) {
  Tool tool(words[1], words[2]);
  tool.evaluate();
  tool.write(words[3]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: field_tool DECK INPUT OUTPUT\n";
    return 2;
  }
  MPI_Init(nullptr, nullptr);
  int code = 0;
  try {
    const Runtime runtime(0, nullptr, 1);
    evaluate(argv);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    code = 1;
  }
  MPI_Finalize();
  return code;
}
