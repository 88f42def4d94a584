#include "analysis/server_price.hpp"

namespace roofline {

std::optional<Price> listed_price(const Server& server) {
  const Price* usual = usual_price(server.device);
  if (server.price || usual == nullptr) return std::nullopt;
  return *usual;
}

std::optional<DollarsPerHour> price_of(const Server& server) {
  if (server.price) return server.price;
  const std::optional<Price> listed = listed_price(server);
  if (!listed) return std::nullopt;
  return listed->per_hour;
}

std::optional<double> dollars_per_million(std::optional<DollarsPerHour> price,
                                          const Deployment& deployment, double tokens_per_second) {
  if (!price) return std::nullopt;
  constexpr double seconds_per_hour = 3600;
  const auto devices = static_cast<double>(deployment.devices());
  return price->value() * devices / seconds_per_hour / tokens_per_second * 1e6;
}

}  // namespace roofline
