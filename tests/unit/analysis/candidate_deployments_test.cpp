// Which deployments a search for the fewest devices tries, and in which order.
#include "analysis/candidate_deployments.hpp"

#include <catch2/catch.hpp>

#include "analysis/serving_inputs.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

using Ways = std::vector<Deployment>;

const Precision bf16 = all_in(plain_format(MatrixType::bf16));

/// Of 1 to 8 devices.
Ways all_of(const Device& device, const Model& model) {
  CandidateDeployments candidates(device, model, bf16);
  Ways all;
  for (std::int64_t devices = 1; devices <= 8; ++devices) {
    for (const Deployment& way : candidates.of(devices)) all.push_back(way);
  }
  return all;
}

// 4 heads, 2 K/V heads and an MLP of 128 are cut in 1, 2 or 4; 2 layers are 1 or 2 stages.
TEST_CASE("Fewer devices come first and then more tensor parallel", "[analysis]") {
  const Server server = small_server();
  CHECK(all_of(server.device, server.model) == Ways{{.tensor = 1},
                                                    {.tensor = 2},
                                                    {.tensor = 1, .pipeline = 2},
                                                    {.tensor = 4},
                                                    {.tensor = 2, .pipeline = 2},
                                                    {.tensor = 4, .pipeline = 2}});
}

TEST_CASE("Tensor parallel beyond the fast link comes last among as many devices", "[analysis]") {
  Server server = small_server();
  server.device.interconnect->joins = 2;
  CHECK(all_of(server.device, server.model) == Ways{{.tensor = 1},
                                                    {.tensor = 2},
                                                    {.tensor = 1, .pipeline = 2},
                                                    {.tensor = 2, .pipeline = 2},
                                                    {.tensor = 4},
                                                    {.tensor = 4, .pipeline = 2}});
}

TEST_CASE("Routed experts are cut and then whole", "[analysis]") {
  const Server server = small_server();
  const Model model = model_of(some_attention, Experts{.count = 4, .per_token = 2, .width = 128});
  CHECK(all_of(server.device, model) == Ways{{.tensor = 1},
                                             {.tensor = 2},
                                             {.tensor = 2, .expert = 2},
                                             {.tensor = 1, .pipeline = 2},
                                             {.tensor = 4},
                                             {.tensor = 4, .expert = 4},
                                             {.tensor = 2, .pipeline = 2},
                                             {.tensor = 2, .pipeline = 2, .expert = 2},
                                             {.tensor = 4, .pipeline = 2},
                                             {.tensor = 4, .pipeline = 2, .expert = 4}});
}

}  // namespace
}  // namespace roofline
