// Numbers to text: exact, fixed, by significant digits, scaled; the edges where rounding carries.
#include "base/format.hpp"

#include <catch2/catch.hpp>
#include <charconv>
#include <limits>

#include "roofline/error.hpp"

using namespace roofline;

TEST_CASE("Exact text is the shortest that reads back", "[base]") {
  const auto [value, text] = GENERATE(table<double, std::string>({
      {0, "0"},
      {-0.0, "0"},
      {1, "1"},
      {-3, "-3"},
      {2048, "2048"},
      {1e15, "1000000000000000"},
      {9007199254740991.0, "9007199254740991"},  // 2^53 - 1
      {9007199254740992.0, "9007199254740992"},  // 2^53
      {-9007199254740992.0, "-9007199254740992"},
      {1e21, "1e+21"},
      {0.1, "0.1"},
      {0.1 + 0.2, "0.30000000000000004"},
      {1.0 / 3, "0.3333333333333333"},
      {2.0 / 3, "0.6666666666666666"},
      {989 / 3.35, "295.2238805970149"},
      {-21.808228916733317, "-21.808228916733317"},
      {1e-9, "1e-09"},
      {9.5367431640625e-07, "9.5367431640625e-07"},
      {5e-324, "5e-324"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
  }));
  CHECK(format_exact(value) == text);
}

TEST_CASE("Exact text reads back as the same double", "[base]") {
  const double value =
      GENERATE(9007199254740994.0, 123456789012345680.0, 4619908415488.0, 0.007044552673428335,
               1e-300, 2.2250738585072014e-308, 4.35, 9.894e14, -1e22, 0.1 * 3);
  const std::string text = format_exact(value);
  double back = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), back);
  CHECK(code == std::errc{});
  CHECK(end == text.data() + text.size());
  CHECK(back == value);
}

TEST_CASE("Fixed decimals have commas between thousands", "[base]") {
  const auto [value, decimals, text] = GENERATE(table<double, int, std::string>({
      {0, 0, "0"},
      {0, 2, "0.00"},
      {1, 0, "1"},
      {12, 0, "12"},
      {999, 0, "999"},
      {1000, 0, "1,000"},
      {100000, 0, "100,000"},
      {1234567.891, 2, "1,234,567.89"},
      {1e15, 0, "1,000,000,000,000,000"},
      {999.9996, 3, "1,000.000"},
      {999.4, 0, "999"},
      {999.6, 0, "1,000"},
      {0.0004, 2, "0.00"},
      {0.123456, 4, "0.1235"},
      {-1, 0, "-1"},
      {-999, 0, "-999"},
      {-1000, 0, "-1,000"},
      {-123456, 0, "-123,456"},
      {-1234.5, 1, "-1,234.5"},
  }));
  CHECK(format_fixed(value, decimals) == text);
}

TEST_CASE("Decimals give the wanted digits also where rounding carries", "[base]") {
  const auto [value, significant, decimals] = GENERATE(table<double, int, int>({
      {0, 4, 0},
      {7.045, 4, 3},
      {-7.045, 4, 3},
      {142, 4, 1},
      {1420, 4, 0},
      {12345, 4, 0},
      {0.05, 4, 5},
      {1e-9, 4, 12},
      {999.94, 4, 1},    // 999.9
      {999.96, 4, 0},    // 1000
      {9.9994, 4, 3},    // 9.999
      {9.9996, 4, 2},    // 10.00
      {0.99994, 4, 4},   // 0.9999
      {0.99996, 4, 3},   // 1.000
      {0.099996, 4, 4},  // 0.1000
      {0.96, 1, 0},      // 1
      {0.94, 1, 1},      // 0.9
      {7.045, 1, 0},
      {7.045, 6, 5},
      {std::numeric_limits<double>::infinity(), 4, 0},
      {std::numeric_limits<double>::quiet_NaN(), 4, 0},
  }));
  CHECK(decimals_for(value, significant) == decimals);
}

TEST_CASE("Significant digits never drop digits before the point", "[base]") {
  const auto [value, significant, text] = GENERATE(table<double, int, std::string>({
      {0, 4, "0"},
      {1, 4, "1.000"},
      {0.0012344, 4, "0.001234"},
      {0.0012346, 4, "0.001235"},
      {16.0605, 4, "16.06"},
      {99.996, 4, "100.0"},
      {999.96, 4, "1,000"},
      {9999.6, 4, "10,000"},
      {123456.7, 4, "123,457"},
      {477356, 2, "477,356"},
      {-2.54, 2, "-2.5"},
      {3.14159, 6, "3.14159"},
  }));
  CHECK(format_significant(value, significant) == text);
}

TEST_CASE("Four significant digits unless told otherwise", "[base]") {
  CHECK(format_significant(2.0 / 3) == "0.6667");
  CHECK(format_scaled(2e9 / 3, "B") == "666.7 MB");
  CHECK(format_binary_bytes(1536) == "1.500 KiB");
}

TEST_CASE("The scale leaves 1 to 999 before the point", "[base]") {
  const auto [value, prefix, factor] = GENERATE(table<double, std::string, double>({
      {0, "", 1},
      {1, "", 1},
      {999, "", 1},
      {999.94, "", 1},
      {999.96, "k", 1e3},  // 1.000 k, not 1,000
      {1e3, "k", 1e3},
      {999999, "M", 1e6},
      {24e9, "G", 1e9},
      {3.35e12, "T", 1e12},
      {1.979e15, "P", 1e15},
      {1e18, "E", 1e18},
      {1e22, "E", 1e18},
      {0.5, "m", 1e-3},
      {0.99996, "", 1},
      {7.045e-3, "m", 1e-3},
      {9e-4, "u", 1e-6},
      {2e-6, "u", 1e-6},
      {9e-7, "n", 1e-9},
      {1e-12, "n", 1e-9},
      {-2e9, "G", 1e9},
  }));
  CHECK(std::string(scale_for(value).prefix) == prefix);
  CHECK(scale_for(value).factor == factor);
}

TEST_CASE("Every scale is found by its prefix", "[base]") {
  const double value = GENERATE(1e18, 1e15, 1e12, 1e9, 1e6, 1e3, 1.0, 1e-3, 1e-6, 1e-9);
  const Scale scale = scale_for(value);
  CAPTURE(scale.prefix);
  CHECK(scale_named(scale.prefix).factor == value);
}

TEST_CASE("A prefix that no scale has is our mistake", "[base]") {
  CHECK_THROWS_AS(scale_named("Q"), InternalError);
  CHECK_THROWS_AS(scale_named("K"), InternalError);
}

TEST_CASE("Scaled values carry the prefix before the unit", "[base]") {
  const auto [value, unit, significant, text] =
      GENERATE(table<double, std::string, int, std::string>({
          {16.0605e9, "B", 4, "16.06 GB"},
          {7.045e-3, "s", 4, "7.045 ms"},
          {989e12, "FLOP/s", 4, "989.0 TFLOP/s"},
          {3.35e12, "B/s", 4, "3.350 TB/s"},
          {3.35e12, "B/s", 2, "3.4 TB/s"},
          {0, "B", 4, "0 B"},
          {999.96, "B", 4, "1.000 kB"},
          {999.96e6, "B", 4, "1.000 GB"},
          {2.5e-10, "s", 4, "0.2500 ns"},
          {1.5e21, "FLOP", 4, "1,500 EFLOP"},
          {-2e9, "B", 4, "-2.000 GB"},
      }));
  CHECK(format_scaled(value, unit, significant) == text);
}

TEST_CASE("Bytes are scaled by powers of 1024", "[base]") {
  const auto [bytes, significant, text] = GENERATE(table<double, int, std::string>({
      {0, 4, "0 B"},
      {512, 4, "512.0 B"},
      {1023, 4, "1,023 B"},
      {1024, 4, "1.000 KiB"},
      {1536, 4, "1.500 KiB"},
      {50.0 * 1048576, 4, "50.00 MiB"},
      {85899345920.0, 4, "80.00 GiB"},
      {85899345920.0, 2, "80 GiB"},
      {1099511627776.0, 4, "1.000 TiB"},
      {2251799813685248.0, 4, "2,048 TiB"},
  }));
  CHECK(format_binary_bytes(bytes, significant) == text);
}

TEST_CASE("Counts have commas and no decimals", "[base]") {
  const auto [value, text] = GENERATE(table<double, std::string>({
      {0, "0"},
      {32, "32"},
      {2048, "2,048"},
      {477356, "477,356"},
      {70553706496.0, "70,553,706,496"},
      {9007199254740992.0, "9,007,199,254,740,992"},
  }));
  CHECK(format_count(value) == text);
}
