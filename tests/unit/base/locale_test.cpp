// A program that uses the library may have a comma locale: values read and print the same.
#include <catch2/catch.hpp>
#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/format.hpp"
#include "base/parse.hpp"
#include "report/report.hpp"
#include "roofline/device.hpp"

using namespace roofline;

namespace {

/// A German locale of the test's own, as a system may have none.
class CommaLocale {
 public:
  CommaLocale() : directory_(std::filesystem::temp_directory_path() / "roofline_locale_test") {
    std::filesystem::create_directories(directory_);
    const std::string command = "localedef -i de_DE -f UTF-8 " +
                                (directory_ / "de_DE.UTF-8").string() + " > /dev/null 2>&1";
    made_ = std::system(command.c_str()) == 0;
    setenv("LOCPATH", directory_.c_str(), 1);
    set_ = std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
  }
  ~CommaLocale() {
    std::setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
    std::filesystem::remove_all(directory_);
  }
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;

  [[nodiscard]] bool in_force() const {
    return made_ && set_ && std::string(std::localeconv()->decimal_point) == ",";
  }

 private:
  std::filesystem::path directory_;
  bool made_ = false;
  bool set_ = false;
};

}  // namespace

TEST_CASE("A comma locale changes nothing", "[base]") {
  const CommaLocale locale;
  REQUIRE(locale.in_force());
  CHECK(parse_bandwidth("3.35TB/s", "x").value() == 3.35e12);
  CHECK(parse_price("0.5", "x").value() == 0.5);
  CHECK(format_significant(1234.5678, 6) == "1,234.57");
  CHECK(format_exact(0.1) == "0.1");

  const Device device = read_device(
      R"({"name": "d", "peaks": {"fp16": "65.5 TFLOP/s"}, "memory": {"bandwidth": "320.25 GB/s"},
          "prices": [{"usd_per_hour": 0.526}]})",
      "d.json");
  CHECK(device.peaks.begin()->second == FlopsPerSecond(65.5e12));
  CHECK(device.bandwidth == BytesPerSecond(320.25e9));
  CHECK(device.prices.front().per_hour == DollarsPerHour(0.526));

  report::Report report;
  report.results.columns = {{"time_s", "time", report::Unit::seconds}};
  report.results.rows = {{0.25}};
  CHECK(report::write_jsonl(report) == "{\"time_s\":0.25}\n");
  CHECK(report::write_csv(report) == "time_s\n0.25\n");
}
