// SPDX-License-Identifier: BSD-3-Clause
// Reading decks: values, defaults, variants, settings, and one message per kind of mistake.
#include "deck/reader.hpp"

#include <gtest/gtest.h>

#include "small_registries.hpp"

namespace parley::testing {
namespace {

/// base_deck with its section [run] replaced.
std::string with_run(const std::string& keys) {
  std::string text = base_deck;
  return text.replace(text.find("agents = 4"), 10, keys);
}

void expect_text(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "wanted: " << part << "\ngot: " << text;
}

TEST(Reader, FillsValuesAndDefaults) {
  const Deck deck = read(base_deck);
  EXPECT_EQ(deck.run.agents, 4);
  EXPECT_EQ(deck.run.iterations, 1000);
  EXPECT_EQ(deck.game.kind, "linear");
  EXPECT_EQ(deck.game.as<LinearGame>().dim, 2);
  EXPECT_EQ(deck.method.as<StepMethod>().y, 0.2);
  EXPECT_EQ(deck.graph.kind.kind, "ring");
  EXPECT_FALSE(deck.data.has_value());
  EXPECT_TRUE(deck.expect.empty());
  EXPECT_EQ(deck.file, "deck.toml");
}

TEST(Reader, AnIntegerStandsWhereANumberIsMeant) {
  const Deck deck = read(base_deck, "", {"method.step.x=2"});
  EXPECT_EQ(deck.method.as<StepMethod>().x, 2.0);
}

TEST(Reader, GraphAndPartitionHaveDefaultKinds) {
  const std::string text =
      base_deck.substr(0, base_deck.find("[graph]")) + "[data]\nkind = \"file\"\nfile = \"d.h5\"\n";
  const Deck deck = read(text);
  EXPECT_EQ(deck.graph.kind.kind, "ring");
  ASSERT_TRUE(deck.data.has_value());
  EXPECT_EQ(deck.data->partition.kind, "iid");
  EXPECT_EQ(deck.data->source.as<FileSource>().file, "d.h5");
}

TEST(Reader, DurationsAreTextsOrSeconds) {
  const std::pair<const char*, double> cases[] = {
      {"\"55m\"", 3300}, {"\"90s\"", 90}, {"\"1.5h\"", 5400}, {"\"5ms\"", 0.005},
      {"\"1d\"", 86400}, {"90", 90},      {"0.25", 0.25}};
  for (const auto& [text, seconds] : cases) {
    EXPECT_EQ(read(with_run(std::string("walltime = ") + text)).run.walltime, seconds) << text;
  }
  for (const char* wrong : {"\"90\"", "\"h\"", "\"5 m\"", "\"-5m\"", "0", "\"1w\"", "true"}) {
    expect_text(refusal(with_run(std::string("walltime = ") + wrong)),
                std::string("deck.toml:2: run.walltime = ") + wrong + ": expected a duration > 0");
  }
}

struct Mistake {
  const char* text;     ///< appended to the deck
  const char* message;  ///< the whole message
};

TEST(Reader, EachMistakeInRunHasItsMessage) {
  const Mistake cases[] = {
      {"agents = 0", "deck.toml:2: run.agents = 0: expected an integer >= 1"},
      {"agents = \"4\"", "deck.toml:2: run.agents = \"4\": expected an integer >= 1; write 4"},
      {"agents = 4.0", "deck.toml:2: run.agents = 4.0: expected an integer >= 1; write 4"},
      {"agents = 4.5", "deck.toml:2: run.agents = 4.5: expected an integer >= 1"},
      {"iterations = -1", "deck.toml:2: run.iterations = -1: expected an integer >= 0"},
      {"name = 7", "deck.toml:2: run.name = 7: expected a text; write \"7\""},
      {"name = \"a/b\"",
       "deck.toml:2: run.name = \"a/b\": expected a name for a folder: not "
       "empty, without /, no leading dot"},
      {"precision = \"singel\"",
       "deck.toml:2: run.precision = \"singel\": did you mean single? "
       "expected one of: single, double"},
      {"precision = \"x\"", "deck.toml:2: run.precision = \"x\": expected one of: single, double"},
      {"until = { measure = \"swd\" }",
       "deck.toml:2: run.until: needs a bound: write below = NUMBER or above = NUMBER"},
      {"until = { below = 1 }",
       "deck.toml:2: run.until.measure is missing: expected a text "
       "(Column of the log that is compared.)"},
      {"until = 3", "deck.toml:2: run.until = 3: expected a table of keys"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(refusal(with_run(text)), message);
  expect_text(refusal(with_run("agent = 4")),
              "deck.toml:2: run.agent = 4: unknown key; did you mean agents? run has: name, ");
  expect_text(refusal(with_run("colour = 4")), "run.colour = 4: unknown key; run has: name, ");
}

TEST(Reader, EachMistakeInOtherSectionsHasItsMessage) {
  const Mistake cases[] = {
      {"rows = 3",
       "deck.toml:10: graph.rows = 3: key 'rows' belongs to graph kind torus; the "
       "deck chose ring: remove it or choose kind = \"torus\""},
      {"lazy = \"true\"",
       "deck.toml:10: graph.lazy = \"true\": expected true or false; write true"},
      {"weights = \"given\"",
       "deck.toml:10: graph.weights = \"given\": only a graph from a file has "
       "given weights: write \"metropolis\""},
      {"[record]\nevery = 0", "deck.toml:11: record.every = 0: expected an integer >= 1"},
      {"[recrd]\nevery = 1",
       "deck.toml:10: recrd: unknown section; did you mean record? the sections are: run, game, "
       "data, init, method, graph, record, expect"},
      {"[data]\nkind = \"file\"",
       "deck.toml:10: data.file is missing: expected a text (HDF5 file "
       "of the data.)"},
      {"[data]",
       "deck.toml:10: data.kind is missing: expected one of file, grid (Where the data "
       "come from.)"},
      {"[init]\nfrom = \"ema\"",
       "deck.toml:11: init.from = \"ema\": only legal when init.snapshot is set: remove it"},
      {"[init]\nsnapshot = \"a.h5\"\nfrom = \"parameters\"",
       "deck.toml:12: init.from = \"parameters\": rows differ between agents: write agents = "
       "\"per_agent\""},
      {"[[expect]]\nmeasure = \"gap\"\nbelow = 1\nabove = 2",
       "deck.toml:10: expect[0]: below and above are both set: keep one of them"},
      {"[expect]\nmeasure = \"gap\"",
       "deck.toml:10: expect: needs a bound: write below = NUMBER or above = NUMBER"},
      {"[expect]\nmeasure = \"gap\"\nbelow = nan",
       "deck.toml:12: expect.below = nan: expected a number, finite"},
      {"[variant]\nfast = 3", "deck.toml:11: variant.fast = 3: expected a table of sections"},
      {"[variant.fast]\nmethd.x = 3",
       "deck.toml:11: variant.fast.methd: unknown section; did you mean method? the sections are: "
       "run, game, data, init, method, graph, record, expect"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(refusal(base_deck + text + "\n"), message);
}

TEST(Reader, EachMistakeInAKindHasItsMessage) {
  const std::string head = "[method]\nkind = \"idle\"\n[game]\nkind = \"net\"\n";
  const Mistake cases[] = {
      {"penalty = 3",
       "deck.toml:5: game.penalty = 3: only legal when game.loss = \"wgan-gp\": remove it"},
      {"hidden = 64",
       "deck.toml:5: game.hidden = 64: expected an array, each element an integer >= 1; write "
       "[64]"},
      {"hidden = [1, \"2\"]",
       "deck.toml:5: game.hidden = [1, \"2\"]: element 1 (\"2\"): expected "
       "an integer >= 1; write 2"},
      {"dim = 3",
       "deck.toml:5: game.dim = 3: key 'dim' belongs to game kind linear; the deck "
       "chose net: remove it or choose kind = \"linear\""},
      {"layers = [{ kind = \"wide\", width = 1, activation = \"tanhh\" }]",
       "deck.toml:5: game.layers[0].activation = \"tanhh\": did you mean tanh? expected one of: "
       "relu, tanh"},
      {"layers = [3]", "deck.toml:5: game.layers[0] = 3: expected a table of keys"},
      {"layers = 3", "deck.toml:5: game.layers = 3: expected an array of tables"},
      {"labels = [2020-01-01]",
       "deck.toml:5: game.labels = [2020-01-01]: element 0 (2020-01-01): expected a text; write "
       "\"2020-01-01\""},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(refusal(head + text + "\n"), message);
}

TEST(Reader, MissingAndUnknownKindsListAllKinds) {
  EXPECT_EQ(refusal(""),
            "deck.toml: game.kind is missing: expected one of linear, net (The game.)\n"
            "deck.toml: method.kind is missing: expected one of descent, idle (The method.)");
  const std::string text = refusal("[game]\nkind = \"linaer\"\nfoo = 1\n[method]\nkind = 3\n");
  EXPECT_EQ(text,
            "deck.toml:2: game.kind = \"linaer\": did you mean linear? expected one of: linear, "
            "net\ndeck.toml:5: method.kind = 3: expected one of descent, idle");
}

TEST(Reader, AllMistakesComeTogetherInTheOrderOfLines) {
  const std::string text = refusal(
      "[graph]\nrounds = 0\n[run]\nagents = 0\n[game]\nkind = \"linear\"\nscale = -1\n"
      "[method]\nkind = \"descent\"\n");
  EXPECT_EQ(text,
            "deck.toml:2: graph.rounds = 0: expected an integer >= 1\n"
            "deck.toml:4: run.agents = 0: expected an integer >= 1\n"
            "deck.toml:7: game.scale = -1: expected a number > 0\n"
            "deck.toml:8: method.step.x is missing: expected a number > 0 (Step of the player.)\n"
            "deck.toml:8: method.step.y is missing: expected a number > 0 (Step of the player.)");
}

TEST(Reader, ARefusedValueHidesTheMistakesThatFollowFromIt) {
  const std::string torus =
      "[game]\nkind=\"linear\"\n[method]\nkind=\"idle\"\n[graph]\n"
      "kind = \"torus\"\n";
  EXPECT_EQ(refusal(torus + "rows = 50\n"),
            "deck.toml:7: graph.rows = 50: rows x columns is at most 64");
  EXPECT_EQ(refusal(torus + "rows = 50\ncolumns = \"2\"\n"),
            "deck.toml:8: graph.columns = \"2\": expected an integer >= 1; write 2");
}

TEST(Reader, TomlMistakesHaveAPlace) {
  expect_text(refusal("[run]\nagents = 1\nagents = 2\n"), "deck.toml:3: not valid TOML: ");
  expect_text(refusal("[run]\nagents = \n"), "deck.toml:2: not valid TOML: ");
  expect_text(refusal("[run]\n[game]\n[run]\n"), "deck.toml:3: not valid TOML: ");
  expect_text(refusal("[run\n"), "deck.toml:1: not valid TOML: ");
}

TEST(Reader, WhatTheParserCannotStandIsRefusedBefore) {
  using namespace std::string_literals;
  const std::pair<std::string, const char*> cases[] = {
      {"a = 1\n[(\n", "deck.toml:2: a section header without a name"},
      {"[[[[\n", "deck.toml:1: a section header without a name"},
      {"[[[[a]]]]\n", "deck.toml:1: a section header without a name"},
      {"[]\n", "deck.toml:1: a section header without a name"},
      {"# \xEF\xBA\xBF\n", "deck.toml:1: the bytes EF BA BF (U+FEBF) cannot be read reliably"},
      {"a = \"\xEF\xBA\xBF\"\n", "deck.toml:1: the bytes EF BA BF"},
      {"\n\n# \xFF\n", "deck.toml:3: byte 0xFF is not UTF-8"},
      {"# \xC0\xAF\n", "deck.toml:1: byte 0xC0 is not UTF-8"},
      {"# \xED\xA0\x80\n", "deck.toml:1: byte 0xED is not UTF-8"},
      {"# \xF4\x90\x80\x80\n", "deck.toml:1: byte 0xF4 is not UTF-8"},
      {"a = \"\xC3", "deck.toml:1: byte 0xC3 is not UTF-8"},
      {"a\0b = 1"s, "deck.toml:1: control character 0x00"},
      {"a = 1\rb = 2", "deck.toml:1: a carriage return without a line feed"},
      {"\n\xC3\xA9 = 1", "deck.toml:2: a character that is not ASCII outside quotes and comments"},
      {"a = \"\"\"\n\xC3\xA9\"\"\"", "deck.toml:2: a character that is not ASCII in a text of"},
      {"a = (1)", "deck.toml:1: unexpected character '('"},
      {"a = " + std::string(33, '['), "deck.toml:1: too many nested brackets"},
      {"a = [\n" + std::string(40, '{'), "deck.toml:2: too many nested brackets"},
      {"a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = 1", "deck.toml:1: a dotted key with too many parts"},
      {std::string((1U << 20) + 1, '#'), "deck.toml: a file of 1048577 bytes is not a deck"},
  };
  for (const auto& [text, message] : cases) expect_text(refusal(text), message);
}

TEST(Reader, WhatLooksLikeItInStringsAndCommentsIsFine) {
  const Deck deck = read(
      "\xEF\xBB\xBF# \xC3\xA9 [( [[[[\r\n[run] # [(\r\n"
      "name = \"\xC3\xA9 [( # \\\" '\"\r\n" +
      base_deck.substr(base_deck.find("agents")));
  EXPECT_EQ(deck.run.name, "\xC3\xA9 [( # \" '");
  EXPECT_EQ(deck.run.agents, 4);
}

TEST(Reader, AVariantMergesKeyByKey) {
  const std::string text = base_deck +
                           "[variant.slow]\nmethod.step.x = 0.05\nrun = { seed = 9 }\n"
                           "[variant.torus]\ngraph = { kind = \"torus\", rows = 4 }\n";
  const Deck plain = read(text), slow = read(text, "slow"), torus = read(text, "torus");
  EXPECT_EQ(plain.method.as<StepMethod>().x, 0.1);
  EXPECT_EQ(slow.method.as<StepMethod>().x, 0.05);
  EXPECT_EQ(slow.method.as<StepMethod>().y, 0.2);
  EXPECT_EQ(slow.run.seed, 9);
  EXPECT_EQ(slow.run.agents, 4);
  EXPECT_EQ(torus.graph.kind.as<Torus>().rows, 4);
  EXPECT_EQ(slow.where("method.step.x"), "deck.toml:11: method.step.x");
  EXPECT_EQ(read(slow.text).text, slow.text);
  EXPECT_EQ(slow.text.find("variant."), std::string::npos);
}

TEST(Reader, AVariantUnsetsKeysOfAnotherKind) {
  const std::string torus =
      "[game]\nkind=\"linear\"\n[method]\nkind=\"idle\"\n[graph]\n"
      "kind = \"torus\"\nrows = 3\n[variant.ring]\ngraph.kind = \"ring\"\n";
  EXPECT_EQ(refusal(torus, "ring"),
            "deck.toml:7: graph.rows = 3: key 'rows' belongs to graph kind torus; the deck chose "
            "ring: remove it or choose kind = \"torus\" (variant ring drops it with unset = "
            "[\"graph.rows\"])");
  EXPECT_EQ(read(torus + "unset = [\"graph.rows\"]\n", "ring").graph.kind.kind, "ring");
  EXPECT_EQ(refusal(torus + "unset = [\"graph.rows\", \"graph.row\"]\n", "ring"),
            "deck.toml:10: variant.ring.unset = \"graph.row\": the deck has no such key: remove it "
            "from unset");
}

TEST(Reader, AnUnknownVariantListsTheOthers) {
  EXPECT_EQ(refusal(base_deck, "slow"),
            "deck.toml: --variant slow: the deck has no [variant.NAME]");
  EXPECT_EQ(refusal(base_deck + "[variant.slow]\n[variant.fast]\n", "slwo"),
            "deck.toml: --variant slwo: did you mean slow? the deck has: fast, slow");
}

TEST(Reader, SettingsOverrideTheDeck) {
  const Deck deck = read(base_deck, "",
                         {"method.step.x=1e-3", "run.name=digits", "run.output=007",
                          "graph.kind=torus", "graph.rows=3", "run.agents=6"});
  EXPECT_EQ(deck.method.as<StepMethod>().x, 1e-3);
  EXPECT_EQ(deck.run.name, "digits");
  EXPECT_EQ(deck.run.output, "007");
  EXPECT_EQ(deck.graph.kind.as<Torus>().rows, 3);
  EXPECT_EQ(deck.where("graph.rows"), "--set graph.rows");
  const std::string two = base_deck + "[[expect]]\nmeasure = \"a\"\nbelow = 1\n";
  EXPECT_EQ(read(two, "", {"expect[0].below=0.5"}).expect[0].below, 0.5);
}

TEST(Reader, PathsInSettingsNeedNoQuotes) {
  for (const std::string path :
       {"/scratch/me/run 1", "../runs/a", "~me/run", "C:\\runs", "a;b&c"}) {
    const Deck deck = read(base_deck, "", {"run.output=" + path});
    EXPECT_EQ(deck.run.output, path);
    EXPECT_EQ(read(deck.text).run.output, path);
  }
}

TEST(Reader, MistakesInSettingsNameTheSetting) {
  const std::pair<const char*, const char*> cases[] = {
      {"method.step.x=abc", "--set method.step.x = abc: expected a number > 0"},
      {"run.agents=\"4\"", "--set run.agents = \"4\": expected an integer >= 1; write 4"},
      {"run.agents=4;", "--set run.agents = 4;: expected an integer >= 1"},
      {"run.agent=4", "--set run.agent = 4: unknown key; did you mean agents? run has: "},
      {"agents=4", "--set: agents: expected a path like method.step.x"},
      {"run.agents", "--set: run.agents: expected KEY=VALUE, for example method.step.x=1e-3"},
      {"run.agents.x=1", "--set: run.agents.x: agents is not a table of keys"},
      {"expect[3].below=1", "--set: expect[3].below: expect is not a table of keys"},
      {"run.name=\xFF", "byte 0xFF is not UTF-8"},
  };
  for (const auto& [setting, message] : cases) {
    expect_text(refusal(base_deck, "", {setting}), message);
  }
}

TEST(Reader, TheResolvedDeckIsAFixedPoint) {
  const std::string full = R"([run]
name = "a \"quoted\" \\ name"
agents = 3
walltime = "5ms"
until = { measure = "swd", below = 0.1 }
[game]
kind = "net"
loss = "wgan-gp"
penalty = 0.30000000000000004
weights = [1e-300, 1e22, 123456789.0, 5e-324, 1]
labels = ["tab\t", "line\n", "\u0001", "é"]
layers = [{ kind = "wide", width = 3 }, { kind = "wide", width = 4, activation = "tanh" }]
[data]
kind = "grid"
partition = { kind = "dirichlet", alpha = 0.1 }
[method]
kind = "descent"
step = { x = 0.1, y = 1e-5 }
batch = 8
[expect]
measure = "gap"
below = 1e-6
)";
  const Deck first = read(full);
  const Deck second = read_deck({"elsewhere/other.toml", first.text, "", {}}, registries());
  EXPECT_EQ(second.text, first.text);
  EXPECT_EQ(first.text.rfind("# Resolved from deck.toml\n", 0), 0U);
  EXPECT_EQ(second.run.name, "a \"quoted\" \\ name");
  EXPECT_EQ(second.run.walltime, 0.005);
  EXPECT_EQ(second.run.until_below, 0.1);
  EXPECT_EQ(second.game.as<NetGame>().penalty, 0.30000000000000004);
  EXPECT_EQ(second.game.as<NetGame>().weights,
            (std::vector<double>{1e-300, 1e22, 123456789.0, 5e-324, 1}));
  EXPECT_EQ(second.game.as<NetGame>().labels, first.game.as<NetGame>().labels);
  EXPECT_EQ(second.game.as<NetGame>().layers[1].body.as<Wide>().activation, "tanh");
  EXPECT_EQ(second.data->partition.as<Dirichlet>().alpha, 0.1);
  ASSERT_EQ(second.expect.size(), 1U);
  EXPECT_EQ(second.expect[0].below, 1e-6);
}

TEST(Reader, WhereFallsBackToTheSection) {
  const Deck deck = read(base_deck);
  EXPECT_EQ(deck.where("run.agents"), "deck.toml:2: run.agents");
  EXPECT_EQ(deck.where("method.step.y"), "deck.toml:7: method.step.y");
  EXPECT_EQ(deck.where("graph.rounds"), "deck.toml:8: graph.rounds");
  EXPECT_EQ(deck.where("record.every"), "deck.toml: record.every");
}

TEST(Reader, PeeksAtThePrecision) {
  EXPECT_EQ(peek_precision({"d", "", "", {}}), "single");
  EXPECT_EQ(peek_precision({"d", "[run]\nprecision = \"double\"", "", {}}), "double");
  EXPECT_EQ(peek_precision({"d", "[run]\nprecision = 3", "", {}}), "single");
  EXPECT_EQ(peek_precision({"d", "", "", {"run.precision=double"}}), "double");
  EXPECT_EQ(peek_precision({"d", "[variant.d]\nrun.precision = \"double\"", "d", {}}), "double");
  EXPECT_THROW(peek_precision({"d", "[run", "", {}}), UserError);
}

}  // namespace
}  // namespace parley::testing
