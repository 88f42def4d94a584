// Loads what roofline loads and does nothing.
#include <fmt/core.h>

int main(int argc, char** /*argv*/) {
  if (argc > 1) fmt::print("{}\n", argc);
  return 0;
}
