// SPDX-License-Identifier: BSD-3-Clause
// Damaged decks: whatever the bytes, reading ends with a Deck or a UserError. A fixed number of
// inputs from a fixed seed; the debug preset runs them under the sanitizers.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "small_registries.hpp"

namespace parley::testing {
namespace {

const std::string seeds[] = {base_deck + R"([data]
kind = "file"
file = 'd.h5' # a comment with "quotes" and é
partition = { kind = "dirichlet", alpha = 1e-1 }
[[expect]]
measure = "gap"
below = 1e-6
[variant.fast]
method.step.x = 0.3
unset = ["run.agents"]
graph = { kind = "torus", rows = 2, columns = 2 }
)",
                             R"(run = { name = """a
b\
  c""", agents = 0x10, walltime = "1.5h", until = { measure = "m", above = -inf } }
game = { kind = "net", hidden = [1, 2, [3, [4]]], layers = [{ kind = "wide", width = 3 }, { kind = "flat" }] }
method.kind = "idle"
when = 2020-01-01T00:00:00Z
"quoted key".'x' = '''y'''
)"};

const std::string pieces[] = {"[",
                              "]",
                              "[[",
                              "]]",
                              "[(",
                              "[[[[",
                              "{",
                              "}",
                              "=",
                              ".",
                              ",",
                              "\"",
                              "\"\"\"",
                              "'",
                              "'''",
                              "#",
                              "\n",
                              "\r\n",
                              "\r",
                              "\\",
                              "\\u00e9",
                              "\\UFFFFFFFF",
                              "nan",
                              "-inf",
                              "0x",
                              "1e",
                              "1_0",
                              "_",
                              "-",
                              "+",
                              "true",
                              "2020-01-01",
                              "07:32:00",
                              "é",
                              "\xEF\xBA\xBF",
                              "\xEF\xBB\xBF",
                              "\xFF",
                              "\xC3",
                              "\xED\xA0\x80",
                              "99999999999999999999",
                              "[a.b.c]",
                              "a.b.c = 1",
                              "[[run]]",
                              "[run]",
                              "= =",
                              "{ a = 1 ",
                              "kind = \"net\""};

class Mutator {
 public:
  std::string next() {
    std::string text = seeds[below(std::size(seeds))];
    const std::size_t changes = 1 + below(6);
    for (std::size_t i = 0; i < changes; ++i) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  void change(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = std::min(text.size() - at, below(12));
    switch (below(6)) {
      case 0:
        text.insert(at, pieces[below(std::size(pieces))]);
        break;
      case 1:
        text.replace(at, length, pieces[below(std::size(pieces))]);
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(at, text.substr(below(text.size() + 1), below(40)));
        break;
      case 4:
        text.insert(at, 1, static_cast<char>(below(256)));
        break;
      default:
        text.resize(at);
        break;
    }
  }

  std::mt19937_64 random_{20};
};

TEST(Fuzz, EveryDamagedDeckIsReadOrRefused) {
  const char* more = std::getenv("PARLEY_FUZZ_INPUTS");
  const int inputs = more == nullptr ? 20000 : std::atoi(more);
  Mutator mutator;
  int refused = 0;
  for (int i = 0; i < inputs; ++i) {
    const std::string text = mutator.next();
    const std::string variant = i % 3 == 0 ? "fast" : "";
    std::string resolved;
    try {
      resolved = read(text, variant).text;
    } catch (const UserError& error) {
      ASSERT_NE(std::string(error.what()), "") << "input " << i;
      ++refused;
      continue;
    }
    // What is read resolves to a deck that is read back to the same text.
    ASSERT_EQ(read(resolved).text, resolved) << "input " << i << ":\n" << text;
  }
  EXPECT_GT(refused, inputs / 2);
  EXPECT_LT(refused, inputs);
}

TEST(Fuzz, EverySettingIsReadOrRefused) {
  Mutator mutator;
  for (int i = 0; i < 3000; ++i) {
    const std::string value = mutator.next().substr(0, 30);
    try {
      read(base_deck, "", {"run.name=" + value, "method.step.x=" + value});
    } catch (const UserError& error) {
      ASSERT_NE(std::string(error.what()).find("--set"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace parley::testing
