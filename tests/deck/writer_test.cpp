// SPDX-License-Identifier: BSD-3-Clause
// The reference deck is a legal deck of the defaults, the schema has every key with its range, and
// a resume may change what is marked so and nothing else.
#include "deck/writer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <sstream>

#include "small_registries.hpp"

namespace parley::testing {
namespace {

using Json = nlohmann::json;

TEST(ReferenceDeck, IsALegalDeckOfTheDefaults) {
  const Deck reference = read(reference_deck(registries()));
  const Deck plain = read(
      "[game]\nkind = \"linear\"\n[method]\nkind = \"descent\"\n"
      "step = { x = 1, y = 1 }\n");
  EXPECT_EQ(reference.text, plain.text);
}

TEST(ReferenceDeck, NamesEveryKeyOfEveryKind) {
  const std::string text = reference_deck(registries());
  for (const char* part : {"\nagents = 1\n",
                           "\n#walltime = ",
                           "\n#until.measure = ",
                           "\nkind = \"linear\"\n",
                           "\n#loss = \"wgan\"\n",
                           "\n#penalty = 10.0\n",
                           "\n#hidden = [64, 64]\n",
                           "\n# layers[].width: Neurons. (an integer >= 1; required)\n",
                           "\n# layers[].kind = \"flat\": No neurons.\n",
                           "\n#layers = [{ kind = \"wide\", width = 1, activation = \"relu\" }]\n",
                           "\nstep.x = 1.0\n",
                           "\n#batch = 1\n",
                           "\n#rows = 2\n",
                           "\n#[data]\n",
                           "\n#file = \"...\"\n",
                           "\n#partition.alpha = 1.0\n",
                           "\n#snapshot = ",
                           "\n#[[expect]]\n",
                           "\n#[variant.NAME]\n",
                           "only when game.loss = \"wgan-gp\"",
                           "[Paper, eq. 2]",
                           "(a number > 0; required)"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
}

/// Keys that several methods share.
struct Shared {
  double decay = 0.5;
};
void describe(Fields& fields, Shared& o) {
  fields.group("the shared keys", [&o](Fields& f) {
    f.key("decay", o.decay, {.sentence = "Decay of the moments.", .min = 0});
  });
}

/// A method with the shared keys at another default.
struct Slow {
  Shared shared{0.99};
};
void describe(Fields& fields, Slow& o) {
  describe(fields, o.shared);
}

TEST(ReferenceDeck, ShowsAGroupOfKeysOnceUnlessItsDefaultsDiffer) {
  static const std::array methods{
      make_kind<NoKeys>("idle", "No steps.", ""), make_kind<Shared>("quick", "Forgets.", ""),
      make_kind<Shared>("brisk", "Forgets too.", ""), make_kind<Slow>("slow", "Remembers.", "")};
  Registries all = registries();
  all.methods = methods;
  const std::string text = reference_deck(all);
  const auto section = [&](const std::string& kind) {
    const std::size_t begin = text.find("# kind = \"" + kind + "\"");
    return text.substr(begin, 120);
  };
  EXPECT_NE(section("quick").find("\n#decay = 0.5\n"), std::string::npos);
  EXPECT_NE(text.find("# kind = \"brisk\": Forgets too.\n# And the shared keys: see kind = "
                      "\"quick\".\n#\n# kind = \"slow\""),
            std::string::npos)
      << text;
  EXPECT_NE(section("slow").find("\n#decay = 0.99\n"), std::string::npos);
}

TEST(ReferenceDeck, KeepsToAHundredColumns) {
  std::istringstream text(reference_deck(registries()));
  for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), 100U) << line;
}

/// The keys that a reader finds when every commented key of one kind is switched on.
TEST(ReferenceDeck, CommentedKeysAreLegalWhenTheirKindIsChosen) {
  const std::string text = reference_deck(registries());
  const std::size_t begin = text.find("# kind = \"net\"");
  std::istringstream block(text.substr(begin, text.find("\n\n", begin) - begin));
  std::string deck = "[method]\nkind = \"idle\"\n[game]\nkind = \"net\"\n";
  for (std::string line; std::getline(block, line);) {
    const bool key = line.size() > 1 && line[0] == '#' && line[1] != ' ';
    if (key && line.find("#loss") == 0) line = "#loss = \"wgan-gp\"";
    if (key) deck += line.substr(1) + "\n";
  }
  const Deck read_back = read(deck);
  ASSERT_EQ(read_back.game.as<NetGame>().layers.size(), 1U);
  EXPECT_EQ(read_back.game.as<NetGame>().layers[0].body.kind, "wide");
  EXPECT_EQ(read_back.game.as<NetGame>().penalty, 10.0);
}

TEST(Schema, HasTypesRangesAndDefaults) {
  const Json schema = Json::parse(json_schema(registries()));
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(schema["required"], Json::parse(R"(["game", "method"])"));
  EXPECT_EQ(schema["additionalProperties"], false);
  const Json& agents = schema["properties"]["run"]["properties"]["agents"];
  EXPECT_EQ(agents["type"], "integer");
  EXPECT_EQ(agents["minimum"], 1);
  EXPECT_EQ(agents["default"], 1);
  const Json& precision = schema["properties"]["run"]["properties"]["precision"];
  EXPECT_EQ(precision["enum"], Json::parse(R"(["single", "double"])"));
}

TEST(Schema, HasOneAlternativePerKind) {
  const Json schema = Json::parse(json_schema(registries()));
  const Json& games = schema["properties"]["game"]["oneOf"];
  ASSERT_EQ(games.size(), 2U);
  EXPECT_EQ(games[0]["properties"]["kind"]["const"], "linear");
  EXPECT_EQ(games[0]["properties"]["scale"]["exclusiveMinimum"], 0);
  EXPECT_EQ(games[0]["required"], Json::parse(R"(["kind"])"));
  EXPECT_TRUE(games[1]["properties"].contains("penalty"));
  EXPECT_FALSE(games[1]["properties"].contains("scale"));
  const Json& graphs = schema["properties"]["graph"]["oneOf"];
  EXPECT_FALSE(graphs[0].contains("required"));
  EXPECT_EQ(graphs[1]["required"], Json::parse(R"(["kind"])"));
  EXPECT_TRUE(graphs[2]["properties"].contains("rounds"));
  const Json& descent = schema["properties"]["method"]["oneOf"][0];
  EXPECT_EQ(descent["required"], Json::parse(R"(["kind", "step"])"));
  EXPECT_EQ(descent["properties"]["step"]["required"], Json::parse(R"(["x", "y"])"));
}

TEST(Resume, ReportsWhatMayNotChange) {
  const Deck before = read(base_deck);
  const Deck now = read(base_deck, "",
                        {"method.step.x=0.5", "run.seed=2", "run.iterations=5", "run.name=b",
                         "run.walltime=3", "record.every=7", "run.output=c", "method.batch=4"});
  const std::vector<std::string> expected{"method.batch: absent -> 4", "method.step.x: 0.1 -> 0.5",
                                          "run.seed: 1 -> 2"};
  EXPECT_EQ(resume_conflicts(before, now, registries()), expected);
}

TEST(Resume, AllowsWhatIsMarkedResumable) {
  const Deck before = read(base_deck + "[[expect]]\nmeasure = \"a\"\nbelow = 1\n");
  const Deck now = read(base_deck + "[[expect]]\nmeasure = \"a\"\nabove = 2\n[record]\nkeep = 5\n",
                        "", {"run.until.measure=a", "run.until.below=3"});
  EXPECT_TRUE(resume_conflicts(before, now, registries()).empty());
  EXPECT_TRUE(resume_conflicts(before, read(base_deck), registries()).empty());
}

TEST(Resume, AnotherKindIsAConflict) {
  const Deck before = read(base_deck), now = read(base_deck, "", {"graph.kind=torus"});
  const auto conflicts = resume_conflicts(before, now, registries());
  ASSERT_FALSE(conflicts.empty());
  EXPECT_NE(std::find(conflicts.begin(), conflicts.end(), "graph.kind: \"ring\" -> \"torus\""),
            conflicts.end());
}

}  // namespace
}  // namespace parley::testing
