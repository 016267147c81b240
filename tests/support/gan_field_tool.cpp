// SPDX-License-Identifier: BSD-3-Clause
// Evaluates the field of a GAN once for a deck's networks and writes everything that an independent
// program needs to repeat it. Usage: gan_field_tool DECK FEATURES BATCH SEED OUTPUT; OUTPUT holds
// the arrays z, real, noise, mix, field, losses back to back as doubles, OUTPUT.json their sizes.
#include <array>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "deck/reader.hpp"
#include "games/gan_oracle.hpp"
#include "kernels/noise.hpp"
#include "kernels/runtime.hpp"

namespace {

using namespace parley;

struct NoOptions {};
void describe(Fields&, NoOptions&) {}

/// The [game] table of a deck, read by the deck's own reader.
GanOptions read_options(const std::string& file) {
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const std::array games = {make_kind<GanOptions>("gan", "", "")};
  const std::array methods = {make_kind<NoOptions>("none", "", "")};
  const std::array graphs = {make_kind<NoOptions>("ring", "", "")};
  const std::array compressors = {make_kind<NoOptions>("none", "", "")};
  const std::array partitions = {make_kind<NoOptions>("iid", "", "")};
  const Deck deck = read_deck({file, text, "", {}}, {games, methods, graphs, {}, partitions, compressors});
  return deck.game.as<GanOptions>();
}

class Writer {
 public:
  explicit Writer(const std::string& file) : file_(file), values_(file, std::ios::binary) {}

  template <class View>
  void write(const std::string& name, const View& view) {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    std::vector<double> packed(host.data(), host.data() + host.size());
    write_packed(name, packed);
  }
  void write_row(const std::string& name, const Layout& layout, const Vector& z) {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), z);
    std::vector<double> packed;
    for (const Block& block : layout.blocks()) {
      const Real* const first = host.data() + block.column;
      packed.insert(packed.end(), first, first + block.size);
      sizes_["blocks"].push_back({block.name, block.size});
    }
    write_packed(name, packed);
  }
  void finish() const { std::ofstream(file_ + ".json") << sizes_.dump(1); }

 private:
  void write_packed(const std::string& name, const std::vector<double>& packed) {
    values_.write(reinterpret_cast<const char*>(packed.data()),
                  static_cast<std::streamsize>(packed.size() * sizeof(double)));
    sizes_["arrays"].push_back({name, packed.size()});
  }
  std::string file_;
  std::ofstream values_;
  nlohmann::json sizes_;
};

void evaluate(char** words) {
  const GanOptions options = read_options(words[1]);
  const std::int64_t features = std::stoll(words[2]), batch = std::stoll(words[3]);
  const std::uint64_t seed = std::stoull(words[4]);
  const Exec exec;
  GanOracle oracle(options, {features}, {"generator", "discriminator"});
  HostVector host("tool::z", static_cast<std::size_t>(oracle.layout().width()));
  oracle.initialize({seed, 0}, host);
  const Vector z = make_vector("tool::z", oracle.layout().width());
  const Vector f = make_vector("tool::f", oracle.layout().width());
  Kokkos::deep_copy(z, host);
  oracle.reserve(batch);
  fill_normal(exec, {seed, Purpose::batch, 0, 0}, oracle.real(batch));
  fill_normal(exec, {seed, Purpose::noise, 0, 0}, oracle.noise(batch));
  fill_uniform(exec, {seed, Purpose::interpolation, 0, 0}, oracle.mix(batch));
  Writer writer(words[5]);
  writer.write_row("z", oracle.layout(), z);
  writer.write("real", oracle.real(batch));
  writer.write("noise", oracle.noise(batch));
  writer.write("mix", oracle.mix(batch));
  const Doubles losses("tool::losses", 2);
  oracle.evaluate(exec, z, batch, f, losses, [](std::int64_t) {});
  fence(exec, "tool");
  writer.write_row("field", oracle.layout(), f);
  writer.write("losses", losses);
  writer.finish();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::cerr << "usage: gan_field_tool DECK FEATURES BATCH SEED OUTPUT\n";
    return 2;
  }
  try {
    const Runtime runtime(0, nullptr, 1);
    evaluate(argv);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
