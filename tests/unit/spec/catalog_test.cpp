// The catalogue: names and aliases, users' directories before the built-in set, broken files, and
// what is suggested for an unknown name.
#include "roofline/catalog.hpp"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace roofline;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;
using Strings = std::vector<std::string>;

namespace {

/// A data directory that goes away with its test.
class DataDirectory {
 public:
  DataDirectory() {
    std::string name = (fs::temp_directory_path() / "roofline-data-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~DataDirectory() { fs::remove_all(path_); }
  DataDirectory(const DataDirectory&) = delete;
  DataDirectory& operator=(const DataDirectory&) = delete;

  /// Writes "devices/x.json" and gives its path.
  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string format_text(const std::string& name, const std::string& aliases, double bits) {
  return R"({"name": ")" + name + R"(", "aliases": [)" + aliases + R"(], "bits": )" +
         std::to_string(static_cast<int>(bits)) + R"(, "element": "int4", "covers": "layers"})";
}

const std::string broken = "{\n  \"name\": \"fp8\",\n  oops\n}";

Strings names_of(const std::vector<CatalogEntry>& entries) {
  Strings names;
  for (const CatalogEntry& entry : entries) names.push_back(entry.name);
  return names;
}

template <class Look>
Diagnostic refusal(Look look) {
  try {
    (void)look();
  } catch (const Error& error) {
    return error.diagnostics().at(0);
  }
  return {};
}

}  // namespace

TEST_CASE("Every name and alias of the data finds its own entry", "[spec]") {
  const auto [kind, folder] = GENERATE(table<EntryKind, std::string>({
      {EntryKind::device, "devices"},
      {EntryKind::model, "models"},
      {EntryKind::format, "formats"},
  }));
  const Catalog catalog;
  std::size_t files = 0;
  for (const auto& file : fs::directory_iterator(ROOFLINE_SOURCE_DIR "/data/" + folder)) {
    ++files;
    std::ifstream stream(file.path());
    const auto data = nlohmann::json::parse(stream);
    const std::string name = data.at("name");
    Strings names = data.at("aliases");
    names.push_back(name);
    for (const std::string& alias : names) {
      CAPTURE(alias);
      const CatalogEntry entry = catalog.find(kind, alias);
      CHECK(entry.name == name);
      CHECK(entry.source == DataSource{"built-in", false});
    }
  }
  std::vector<Diagnostic> warnings;
  CHECK(catalog.list(kind, warnings).size() == files);
  CHECK(warnings.empty());
}

TEST_CASE("The built-in text is the file's own", "[spec]") {
  std::ifstream stream(ROOFLINE_SOURCE_DIR "/data/formats/awq.json");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  CHECK(Catalog().find(EntryKind::format, "awq").text == text);
}

TEST_CASE("Names are the same in any case and with any separator", "[spec]") {
  const std::string name =
      GENERATE("h100-sxm5-80gb", "H100-SXM5-80GB", "h100 sxm5 80gb", "H100_SXM5_80GB", "h100",
               "H100", "h100 SXM", "NVIDIA H100 80GB HBM3", "nvidia-h100-80gb-hbm3");
  CAPTURE(name);
  CHECK(Catalog().device(name).name == "H100-SXM5-80GB");
}

TEST_CASE("A prefix is never enough and what it fits is suggested", "[spec]") {
  const std::string name = GENERATE("h100-sxm5-80", "h10", "h", "h100-", "h100 sxm5-80gbx");
  CAPTURE(name);
  const Diagnostic diagnostic = refusal([&] { return Catalog().device(name); });
  CHECK(diagnostic.what == "unknown GPU '" + name + "'");
  CHECK_FALSE(diagnostic.suggestions.empty());
  CHECK(diagnostic.suggestions.size() <= 3);
  CHECK(diagnostic.list_command == "roofline list devices");
}

TEST_CASE("An unknown name says where the list is", "[spec]") {
  const Catalog catalog;
  const Diagnostic model = refusal([&] { return catalog.model("nothing-like-it-at-all"); });
  CHECK(model.what == "unknown model 'nothing-like-it-at-all'");
  CHECK(model.suggestions.empty());
  CHECK(model.list_command == "roofline list models");
  const Diagnostic format = refusal([&] { return catalog.format("fp9"); });
  CHECK(format.what == "unknown number format 'fp9'");
  CHECK_THAT(format.suggestions, Catch::Matchers::VectorContains(std::string("fp8")));
  CHECK(format.list_command == "roofline list formats");
  CHECK(refusal([&] { return catalog.device(""); }).what == "unknown GPU ''");
}

TEST_CASE("An alias is suggested together with its entry", "[spec]") {
  const Diagnostic diagnostic = refusal([] { return Catalog().device("h10"); });
  CHECK_THAT(diagnostic.suggestions,
             Catch::Matchers::VectorContains(std::string("h100 (H100-SXM5-80GB)")));
  // A name of its own is not.
  CHECK(refusal([] { return Catalog().find(EntryKind::spec, "textbok"); }).suggestions ==
        Strings{"textbook"});
}

TEST_CASE("An entry is suggested once however many of its names are near", "[spec]") {
  const DataDirectory data;
  data.write("specs/night-run.json", R"({"name": "night-run", "aliases": ["night_run"]})");
  data.write("specs/night-rum.json", "{}");
  const Catalog catalog({data.path()});
  CHECK(refusal([&] { return catalog.find(EntryKind::spec, "night-ru"); }).suggestions ==
        Strings{"night-rum", "night-run"});
  // h100-sxm and h100-sxm5 are one device; a100-sxm and others are as near as the second.
  const Strings near = refusal([] { return Catalog().device("h100-sx"); }).suggestions;
  CHECK(near.size() == 3);
  CHECK(near.front() == "h100-sxm (H100-SXM5-80GB)");
  CHECK(std::count_if(near.begin(), near.end(), [](const std::string& suggestion) {
          return suggestion.find("H100-SXM5-80GB") != std::string::npos;
        }) == 1);
}

TEST_CASE("A user's entry hides the built-in one of that name", "[spec]") {
  const DataDirectory data;
  const std::string path = data.write("formats/awq.json", format_text("awq", "\"mine\"", 5));
  const Catalog catalog({data.path()});
  CHECK(catalog.format("awq").bits == 5);
  CHECK(catalog.format("MINE").bits == 5);
  CHECK(catalog.format("awq-int4").bits == 5);  // an alias of the built-in one only
  const CatalogEntry entry = catalog.find(EntryKind::format, "AWQ");
  CHECK(entry.source == DataSource{path, true});
  // What it does not name stays built in.
  CHECK(catalog.format("gptq").bits == 4.15625);

  std::vector<Diagnostic> warnings;
  const auto entries = catalog.list(EntryKind::format, warnings);
  CHECK(warnings.empty());
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [](const CatalogEntry& e) { return e.name == "awq"; });
  REQUIRE(found != entries.end());
  CHECK(found->source == DataSource{path, true});
  CHECK(found->file() == path);
}

TEST_CASE("A user's new entry hides nothing", "[spec]") {
  const DataDirectory data;
  const std::string path = data.write("formats/x.json", format_text("q3-special", "", 3));
  const Catalog catalog({data.path()});
  CHECK(catalog.find(EntryKind::format, "q3 special").source == DataSource{path, false});
  CHECK(catalog.find(EntryKind::format, "x").name == "q3-special");  // by its file's name too
  std::vector<Diagnostic> warnings;
  CHECK(catalog.list(EntryKind::format, warnings).size() ==
        Catalog().list(EntryKind::format, warnings).size() + 1);
}

TEST_CASE("The first directory wins", "[spec]") {
  const DataDirectory first;
  const DataDirectory second;
  first.write("formats/a.json", format_text("a", "", 2));
  second.write("formats/a.json", format_text("a", "", 3));
  second.write("formats/b.json", format_text("b", "", 6));
  CHECK(Catalog({first.path(), second.path()}).format("a").bits == 2);
  CHECK(Catalog({second.path(), first.path()}).format("a").bits == 3);
  const Catalog both({first.path(), second.path()});
  CHECK(both.format("b").bits == 6);
  std::vector<Diagnostic> warnings;
  const auto entries = both.list(EntryKind::format, warnings);
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [](const CatalogEntry& e) { return e.name == "a"; });
  REQUIRE(found != entries.end());
  CHECK(found->source.place == (first.path() / "formats" / "a.json").string());
  const Strings names = names_of(entries);
  CHECK(std::count(names.begin(), names.end(), "b") == 1);
}

TEST_CASE("Directories that are not there or hold something else are skipped", "[spec]") {
  const DataDirectory data;
  data.write("devices", "a file where a directory would be");
  data.write("formats/readme.txt", "no JSON");
  std::vector<Diagnostic> warnings;
  const Catalog catalog({data.path(), data.path() / "none", ""});
  CHECK(catalog.device("h100").name == "H100-SXM5-80GB");
  CHECK(catalog.list(EntryKind::format, warnings).size() ==
        Catalog().list(EntryKind::format, warnings).size());
  CHECK(warnings.empty());
}

TEST_CASE("The list is in the order of names", "[spec]") {
  const DataDirectory data;
  data.write("formats/z.json", format_text("AAA", "", 2));
  std::vector<Diagnostic> warnings;
  Strings names = names_of(Catalog({data.path()}).list(EntryKind::format, warnings));
  CHECK(names.front() == "AAA");
  names.erase(names.begin());
  CHECK(std::is_sorted(names.begin(), names.end()));
  CHECK(names.size() > 30);
}

TEST_CASE("A broken file is an error only when it is asked for", "[spec]") {
  const DataDirectory data;
  const std::string path = data.write("devices/mine.json", broken);
  data.write("models/mine.json", broken);
  const Catalog catalog({data.path()});
  CHECK(catalog.device("h100").name == "H100-SXM5-80GB");
  const Diagnostic device = refusal([&] { return catalog.device("mine"); });
  CHECK(device.what == "not valid JSON");
  CHECK(device.where == path + ":3:3");
  CHECK(refusal([&] { return catalog.model("mine"); }).what == "not valid JSON");
}

TEST_CASE("A broken number format is refused with its path", "[spec]") {
  const DataDirectory data;
  const std::string path = data.write("formats/mine.json", R"({"name": "mine", "bits": 0})");
  CHECK(refusal([&] { return Catalog({data.path()}).format("mine"); }).where == path + ":1:26");
}

TEST_CASE("A broken file is a warning in the list and left out of it", "[spec]") {
  const DataDirectory data;
  const std::string path = data.write("formats/fp8.json", broken);
  data.write("formats/good.json", format_text("good", "", 4));
  const std::string unnamed = data.write("formats/unnamed.json", R"({"name": 5})");
  std::vector<Diagnostic> warnings;
  const auto entries = Catalog({data.path()}).list(EntryKind::format, warnings);
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[0].where == path + ":3:3");
  CHECK(warnings[0].what == "not valid JSON");
  CHECK(warnings[1].where == unnamed + ":1:10");
  for (const CatalogEntry& entry : entries) {
    CAPTURE(entry.name);
    CHECK(entry.source.place != path);
    CHECK(entry.source.place != unnamed);
  }
  const Strings names = names_of(entries);
  CHECK(std::count(names.begin(), names.end(), "good") == 1);
}

TEST_CASE("A directory with the name of an entry is none", "[spec]") {
  const DataDirectory data;
  fs::create_directories(data.path() / "formats" / "odd.json");
  const Catalog catalog({data.path()});
  std::vector<Diagnostic> warnings;
  (void)catalog.list(EntryKind::format, warnings);
  CHECK(warnings.empty());
  CHECK(refusal([&] { return catalog.format("odd"); }).what == "unknown number format 'odd'");
}

TEST_CASE("A file is read by its path", "[spec]") {
  const DataDirectory data;
  const std::string config =
      R"({"model_type": "gpt2", "n_embd": 64, "n_head": 4, "n_layer": 1, "n_positions": 8,
          "vocab_size": 10})";
  const std::string path = data.write("tiny/config.json", config);
  const std::string bare = data.write("tiny/other", config);
  const Catalog catalog;
  DataSource source;
  CHECK(catalog.model(path, {}, &source).name == "tiny");
  CHECK(source == DataSource{path, false});
  CHECK(catalog.model(bare).name == "other");  // a slash and there
  CHECK(catalog.model((data.path() / "tiny").string()).name == "tiny");
  const Diagnostic directory = refusal([&] { return catalog.model(data.path().string()); });
  CHECK_THAT(directory.what, Contains("has no config.json"));
  CHECK(refusal([&] { return catalog.device("none.json"); }).what == "cannot read 'none.json'");
  CHECK(refusal([&] { return catalog.device("./none"); }).what == "cannot read './none'");
}

TEST_CASE("A dash is standard input and messages say so", "[spec]") {
  const DataDirectory data;
  const std::string path =
      data.write("input", R"({"model_type": "gpt2", "n_embd": 64, "n_head": 4, "n_layer": 1,
                              "n_positions": 8, "vocab_size": 10})");
  REQUIRE(std::freopen(path.c_str(), "rb", stdin) != nullptr);
  DataSource source;
  CHECK(Catalog().model("-", {}, &source).name == "stdin");
  CHECK_FALSE(source.hides_builtin);
  REQUIRE(std::freopen(data.write("input", "{}").c_str(), "rb", stdin) != nullptr);
  CHECK(refusal([] { return Catalog().model("-"); }).where == "stdin:1:1");
}

TEST_CASE("A name with a slash is a name unless it is a file", "[spec]") {
  DataSource source;
  CHECK(Catalog().model("Qwen/Qwen2.5-7B-Instruct-AWQ", {}, &source).name ==
        "qwen2.5-7b-instruct-awq");
  CHECK(source == DataSource{"built-in", false});
  CHECK(refusal([] { return Catalog().model("nobody/nothing"); }).what ==
        "unknown model 'nobody/nothing'");
}

TEST_CASE("A user's device and model tell where they were found", "[spec]") {
  const DataDirectory data;
  std::ifstream stream(ROOFLINE_SOURCE_DIR "/data/devices/h100-sxm5-80gb.json");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const std::string path = data.write("devices/anything.json", text);
  const Catalog catalog({data.path()});
  DataSource source;
  CHECK(catalog.device("h100", &source).name == "H100-SXM5-80GB");
  CHECK(source == DataSource{path, true});
  CHECK(catalog.device("anything", &source).name == "H100-SXM5-80GB");
  CHECK(source == DataSource{path, false});
}
