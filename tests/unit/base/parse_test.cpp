// What people write for amounts, rates, prices and times: every accepted and every refused form.
#include "base/parse.hpp"

#include <catch2/catch.hpp>

#include "base/refusal.hpp"

using namespace roofline;
using Catch::Matchers::Contains;

TEST_CASE("Bytes are read with decimal and binary prefixes", "[base]") {
  const auto [text, bytes] = GENERATE(table<std::string, double>({
      {"80GB", 8e10},
      {"80GiB", 85899345920.0},
      {"1.5 TB", 1.5e12},
      {"1.5\tTB", 1.5e12},
      {"512B", 512},
      {"1kB", 1e3},
      {"1MB", 1e6},
      {"1EB", 1e18},
      {"1KiB", 1024},
      {"1MiB", 1048576},
      {"1TiB", 1099511627776.0},
      {"1PiB", 1125899906842624.0},
      {"0.5GiB", 536870912},
      {".5GB", 5e8},
      {"1_000GB", 1e12},
      {"1e3B", 1e3},
      {"1e+3kB", 1e6},
      {"25e-1GB", 2.5e9},
      {"0", 0},
      {"0B", 0},
  }));
  CAPTURE(text);
  CHECK(parse_bytes(text, "--memory").value() == bytes);
}

// 4.1 x 1e12 as two doubles is 4099999999999.9995: a number and its unit must be rounded once.
TEST_CASE("A number is rounded once together with its unit", "[base]") {
  CHECK(parse_bytes("4.1TB", "x").value() == 4.1e12);
  CHECK(parse_bytes("16.1kB", "x").value() == 16100);
  CHECK(parse_bytes("8.3GB", "x").value() == 8.3e9);
  CHECK(parse_bytes("0.1GiB", "x").value() == 0.1 * 1073741824);
  CHECK(parse_bandwidth("16.4TB/s", "x").value() == 1.64e13);
  CHECK(parse_bandwidth("3.35TB/s", "x").value() == 3.35e12);
  CHECK(parse_compute("989.4TFLOP/s", "x").value() == 9.894e14);
  CHECK(parse_compute("8.7TFLOPS", "x").value() == 8.7e12);
  CHECK(parse_compute("2.2PFLOP/s", "x").value() == 2.2e15);
  CHECK(parse_power("0.7kW", "x").value() == 700);
}

TEST_CASE("Bytes are refused with the reason", "[base]") {
  const auto [text, what, why,
              fix] = GENERATE(table<std::string, std::string, std::string, std::string>({
      {"80G", "has no unit", "GB is 1e9 bytes, GiB is 2^30", "--memory 80GB, or --memory 80GiB"},
      {"80Gi", "has no unit", "GiB is 2^30", "80GiB"},
      {"80", "has no unit", "GB is 1e9 bytes", "--memory 80GB, or --memory 80GiB"},
      {"80gb", "is not an amount of bytes", "B is byte, b is bit", ""},
      {"80Gb", "is not an amount of bytes", "B is byte, b is bit", ""},
      {"80gB", "is not an amount of bytes", "case counts", ""},
      {"80 G B", "is not an amount of bytes", "case counts", ""},
      {"80QB", "is not an amount of bytes", "case counts", ""},
      {"80 gigabytes", "is not an amount of bytes", "case counts", ""},
      {"1,5GB", "is not an amount of bytes", "", ""},
      {"1.5.2GB", "is not an amount of bytes", "", ""},
      {"80GB/s", "is a rate, not an amount", "", "--memory 80GB"},
      {"80GBps", "is a rate, not an amount", "", "--memory 80GB"},
      {"-80GB", "is negative", "", ""},
      {"", "does not start with a number", "", "--memory 80GB"},
      {"  ", "does not start with a number", "", "--memory 80GB"},
      {"GB", "does not start with a number", "", ""},
      {".GB", "does not start with a number", "", ""},
      {"_1GB", "does not start with a number", "", ""},
      {"nanB", "does not start with a number", "", ""},
  }));
  CAPTURE(text);
  const Diagnostic diagnostic = refusal([t = text] { return parse_bytes(t, "--memory"); });
  CHECK(diagnostic.what == "--memory: '" + text + "' " + what);
  CHECK_THAT(diagnostic.why, Contains(why));
  CHECK_THAT(diagnostic.fix, Contains(fix));
}

TEST_CASE("Bandwidths are read in bytes and in bits", "[base]") {
  const auto [text, bytes_per_s] = GENERATE(table<std::string, double>({
      {"3.35TB/s", 3.35e12},
      {"900GB/s", 9e11},
      {"900 GB/s", 9e11},
      {"900GBps", 9e11},
      {"400Gb/s", 5e10},
      {"400Gbps", 5e10},
      {"8b/s", 1},
      {"1B/s", 1},
      {"1GiB/s", 1073741824},
      {"1_600GB/s", 1.6e12},
  }));
  CAPTURE(text);
  CHECK(parse_bandwidth(text, "--bandwidth").value() == bytes_per_s);
}

TEST_CASE("Bandwidths are refused with the reason", "[base]") {
  const auto [text, what, why, fix] =
      GENERATE(table<std::string, std::string, std::string, std::string>({
          {"3.35TB", "is an amount, not a rate", "", "--bandwidth 3.35TB/s"},
          {"900 GB", "is an amount, not a rate", "", "--bandwidth 900GB/s"},
          {"900GiB", "is an amount, not a rate", "", "--bandwidth 900GiB/s"},
          {"900", "has no unit", "", "--bandwidth 900GB/s"},
          {"3.35T/s", "is not a bandwidth", "B/s is bytes a second", ""},
          {"900gb/s", "is not a bandwidth", "case counts", ""},
          {"900GB/h", "is not a bandwidth", "", ""},
          {"0GB/s", "must be more than 0", "", ""},
          {"-900GB/s", "is negative", "", ""},
          {"fast", "does not start with a number", "", "--bandwidth 3.35TB/s"},
      }));
  CAPTURE(text);
  const Diagnostic diagnostic = refusal([t = text] { return parse_bandwidth(t, "--bandwidth"); });
  CHECK(diagnostic.what == "--bandwidth: '" + text + "' " + what);
  CHECK_THAT(diagnostic.why, Contains(why));
  CHECK_THAT(diagnostic.fix, Contains(fix));
}

TEST_CASE("Compute rates are read as FLOP/s and as OP/s", "[base]") {
  const auto [text, flop_per_s] = GENERATE(table<std::string, double>({
      {"989TFLOP/s", 9.89e14},
      {"1.98PFLOP/s", 1.98e15},
      {"989TFLOPS", 9.89e14},
      {"989TFLOPs/s", 9.89e14},
      {"1979TOPS", 1.979e15},
      {"1979TOP/s", 1.979e15},
      {"1979TOPs/s", 1.979e15},
      {"120GFLOPS", 1.2e11},
      {"1EFLOPS", 1e18},
      {"1FLOP/s", 1},
  }));
  CAPTURE(text);
  CHECK(parse_compute(text, "--peak").value() == flop_per_s);
}

TEST_CASE("Compute rates are refused with the reason", "[base]") {
  const auto [text, what, why, fix] =
      GENERATE(table<std::string, std::string, std::string, std::string>({
          {"989T", "is not a compute rate", "no unit", "--peak 989TFLOP/s"},
          {"989", "is not a compute rate", "no unit", "--peak 989TFLOP/s"},
          {"989tflops", "is not a compute rate", "case counts", ""},
          {"989TFLOP", "is not a compute rate", "", "--peak 989TFLOP/s"},
          {"989TiFLOP/s", "is not a compute rate", "", ""},
          {"989TFLOP/h", "is not a compute rate", "", ""},
          {"0TFLOP/s", "must be more than 0", "", ""},
          {"-1TFLOP/s", "is negative", "", ""},
          {"TFLOP/s", "does not start with a number", "", "--peak 989TFLOP/s"},
      }));
  CAPTURE(text);
  const Diagnostic diagnostic = refusal([t = text] { return parse_compute(t, "--peak"); });
  CHECK(diagnostic.what == "--peak: '" + text + "' " + what);
  CHECK_THAT(diagnostic.why, Contains(why));
  CHECK_THAT(diagnostic.fix, Contains(fix));
}

// Also where a double ends, or a binary prefix would carry it over the end.
TEST_CASE("Amounts that no device has are out of range and not misspelt", "[base]") {
  const std::string number = GENERATE("1e25", "1e300", "1e400");
  CAPTURE(number);
  const auto out_of_range = Catch::Matchers::EndsWith("is out of range");
  CHECK_THAT(refusal([&] { return parse_bytes(number + "PB", "x"); }).what, out_of_range);
  CHECK_THAT(refusal([&] { return parse_bytes(number + "PiB", "x"); }).what, out_of_range);
  CHECK_THAT(refusal([&] { return parse_bandwidth(number + "PB/s", "x"); }).what, out_of_range);
  CHECK_THAT(refusal([&] { return parse_compute(number + "PFLOP/s", "x"); }).what, out_of_range);
  CHECK_THAT(refusal([&] { return parse_power(number + "W", "x"); }).what, out_of_range);
  CHECK_THAT(refusal([&] { return parse_price(number, "x"); }).what, out_of_range);
  CHECK_THAT(refusal([] { return parse_bandwidth("0.5B/s", "x"); }).what, out_of_range);
}

// A fix gets pasted: it must be the amount that was meant, not one of another size.
TEST_CASE("A fix keeps the amount that was written", "[base]") {
  const auto first_value = [](const Diagnostic& diagnostic) {
    const std::string fix = diagnostic.fix.substr(0, diagnostic.fix.find(','));
    return fix.substr(fix.find(' ') + 1);
  };
  const auto fixed_bytes = [&](const char* text) {
    return parse_bytes(first_value(refusal([&] { return parse_bytes(text, "x"); })), "x").value();
  };
  const auto fixed_bandwidth = [&](const char* text) {
    return parse_bandwidth(first_value(refusal([&] { return parse_bandwidth(text, "x"); })), "x")
        .value();
  };
  const auto fixed_compute = [&](const char* text) {
    return parse_compute(first_value(refusal([&] { return parse_compute(text, "x"); })), "x")
        .value();
  };
  CHECK(fixed_bytes("80G") == 8e10);
  CHECK(fixed_bytes("1.5T") == 1.5e12);
  CHECK(fixed_bytes("3.35TB/s") == 3.35e12);
  CHECK(fixed_bytes("1e3G") == 1e12);
  CHECK(fixed_bandwidth("3.35TB") == 3.35e12);
  CHECK(fixed_bandwidth("3e3GB") == 3e12);
  CHECK(fixed_bandwidth("3.35T/s") == 3.35e12);
  CHECK(fixed_compute("989T") == 9.89e14);
  CHECK(fixed_compute("1.98P") == 1.98e15);
}

TEST_CASE("Prices are dollars per hour", "[base]") {
  const std::string text = GENERATE("2.49", "$2.49", " 2.49 ", "249e-2");
  CHECK(parse_price(text, "--price").value() == 2.49);
}

TEST_CASE("Prices are refused with the reason", "[base]") {
  const auto [text, what] = GENERATE(table<std::string, std::string>({
      {"2.49USD", "is not a price"},
      {"2,49", "is not a price"},
      {"$$2", "does not start with a number"},
      {"", "does not start with a number"},
      {"0", "must be more than 0"},
      {"-2.49", "is negative"},
  }));
  CAPTURE(text);
  const Diagnostic diagnostic = refusal([t = text] { return parse_price(t, "--price"); });
  CHECK_THAT(diagnostic.what, Catch::Matchers::StartsWith("--price: '") && Contains(what));
}

TEST_CASE("Powers are read in watts", "[base]") {
  const std::string text = GENERATE("700W", "700 W", "0.7kW");
  CHECK(parse_power(text, "--tdp").value() == 700);
}

TEST_CASE("Powers are refused with the reason", "[base]") {
  const auto [text, what] = GENERATE(table<std::string, std::string>({
      {"700", "is not a power"},
      {"700w", "is not a power"},
      {"700WW", "is not a power"},
      {"0W", "must be more than 0"},
      {"-1W", "is negative"},
      {"W", "does not start with a number"},
  }));
  CHECK(refusal([t = text] { return parse_power(t, "--tdp"); }).what ==
        "--tdp: '" + text + "' " + what);
}

TEST_CASE("Times are read in seconds and parts of them", "[base]") {
  const auto [text, seconds] = GENERATE(table<std::string, double>({
      {"30ms", 0.03},
      {"2us", 2e-6},
      {"1.5s", 1.5},
      {"1.5 s", 1.5},
      {"800ns", 8e-7},
      {".5ms", 5e-4},
      {"1e3ms", 1},
      {"1_000us", 1e-3},
      {"4.1us", 4.1e-6},
  }));
  CAPTURE(text);
  CHECK(parse_time(text, "--tpot-limit").value() == seconds);
}

TEST_CASE("Times are refused with the reason", "[base]") {
  const std::string units = "a time is in ns, us, ms or s";
  const auto [text, what, why, fix] =
      GENERATE_COPY(table<std::string, std::string, std::string, std::string>({
          {"30", "has no unit", units, "--tpot-limit 30ms"},
          {"0", "has no unit", units, "--tpot-limit 30ms"},
          {"30MS", "is not a time", units + "; case counts", "--tpot-limit 30ms"},
          {"30 Ms", "is not a time", units + "; case counts", "--tpot-limit 30ms"},
          {"30m", "is not a time", units + "; case counts", "--tpot-limit 30ms"},
          {"1.5sec", "is not a time", units + "; case counts", "--tpot-limit 1.5s"},
          {"2\u00b5s", "is not a time", units + "; case counts", "--tpot-limit 2us"},
          {"2\u03bcs", "is not a time", units + "; case counts", "--tpot-limit 2us"},
          {"2min", "is not a time", units + "; case counts", "--tpot-limit 30ms"},
          {"1h", "is not a time", units + "; case counts", "--tpot-limit 30ms"},
          {"1ks", "is not a time", units + "; case counts", "--tpot-limit 30ms"},
          {"0s", "must be more than 0", "", ""},
          {"1e-30s", "is out of range", "", ""},
          {"1e400s", "is out of range", "", ""},
          {"-1ms", "is negative", "", "--tpot-limit 30ms"},
          {"ms", "does not start with a number", "", "--tpot-limit 30ms"},
          {"", "does not start with a number", "", "--tpot-limit 30ms"},
      }));
  const Diagnostic diagnostic = refusal([t = text] { return parse_time(t, "--tpot-limit"); });
  CHECK(diagnostic.what == "--tpot-limit: '" + text + "' " + what);
  CHECK(diagnostic.why == why);
  CHECK(diagnostic.fix == fix);
}
