// The question of serve: which concurrency, what keeps it from being larger, and the steady state
// there.
#include "roofline/serve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/capacity.hpp"
#include "analysis/evaluator.hpp"
#include "analysis/routed_experts.hpp"
#include "analysis/search.hpp"
#include "analysis/server_notes.hpp"
#include "analysis/server_price.hpp"
#include "analysis/serving.hpp"
#include "base/counted.hpp"
#include "base/format.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

/// No search goes beyond so many sequences.
constexpr std::int64_t most_searched = 1'000'000'000;

void require_sound(const ServeRequest& request) {
  const Server& server = request.server;
  ErrorCollector errors;
  const auto require = [&](bool sound, const char* what, const char* fix) {
    if (!sound) errors.add(Error(Diagnostic{.what = what, .fix = fix}));
  };
  require(request.shape.prompt > 0 && request.shape.output > 0,
          "a request has at least 1 prompt token and 1 output token",
          "--input-len 1024 --output-len 256");
  require(!(request.concurrency && request.requests_per_second),
          "a concurrency and a request rate are two questions", "leave one of them out");
  require(request.concurrency.value_or(1) > 0, "a concurrency is at least 1", "--concurrency 32");
  const double rate = request.requests_per_second.value_or(1);
  require(rate > 0 && std::isfinite(rate), "a request rate is above 0", "--request-rate 2.5");
  errors.collect([&] { require_choices({&server.model, 1}, server.precision, server.experts); });
  errors.throw_if_any();
}

std::string time_text(Seconds time) {
  return format_scaled(time.value(), "s");
}

std::string rate_text(double requests_per_second) {
  return fmt::format("{} requests/s", format_significant(requests_per_second));
}

void note_cost(const Server& server, const ServeResult& result, std::vector<std::string>& notes) {
  if (result.price) {
    note_price(server.device, *result.price, notes);
  } else if (!server.price) {
    notes.push_back(fmt::format("no price of {} is known: cost is not reckoned (--price 2.5)",
                                server.device.name));
  }
}

void note_energy(const Device& device, std::vector<std::string>& notes) {
  if (!device.tdp) {
    notes.push_back(fmt::format("the TDP of {} is not known: energy is not reckoned", device.name));
  } else if (device.tdp_is_estimate) {
    notes.push_back(fmt::format("the TDP of {}, {}, is an estimate", device.name,
                                format_scaled(device.tdp->value(), "W", 3)));
  }
}

void note_deployment(const Deployment& deployment, std::vector<std::string>& notes) {
  if (deployment.data > 1) {
    notes.push_back(fmt::format("concurrency is that of all {} replicas: a replica has 1/{} of it",
                                deployment.data, deployment.data));
  }
  if (deployment.pipeline > 1) {
    notes.push_back(fmt::format("sequences pass the {} stages as up to {} micro-batches at once",
                                deployment.pipeline, deployment.pipeline));
  }
}

void add_notes(const ServeRequest& request, ServeResult& result) {
  const Server& server = request.server;
  note_cost(server, result, result.notes);
  note_memory(server.device, result.notes);
  note_context(server.model, request.shape.prompt + request.shape.output, result.notes);
  note_experts(server.model, server.experts, result.notes);
  note_deployment(server.deployment, result.notes);
  note_energy(server.device, result.notes);
}

/// The largest concurrency that is left, and what leaves no more.
struct Ceiling {
  std::int64_t concurrency = most_searched;
  std::optional<ServeBound> bound;  ///< none: nothing limits it
};

/// "the 9 sequences that memory holds reach": what comes before a rate.
std::string left_text(const Ceiling& ceiling) {
  const bool one = ceiling.concurrency == 1;
  const bool memory = ceiling.bound == ServeBound::memory;
  return fmt::format("the {} that {} {}", counted(ceiling.concurrency, "sequence"),
                     memory ? "memory holds" : "the TPOT limit allows", one ? "reaches" : "reach");
}

/// One question in work.
class Question {
 public:
  Question(const ServeRequest& request, const Setting& setting, ServeResult& result)
      : request_(request),
        result_(result),
        serving_(setting, request.server, request.shape, price_of(request.server)),
        capacity_(setting, request.server.limits) {}

  void answer();

 private:
  [[nodiscard]] std::int64_t tokens() const {
    return request_.shape.prompt + request_.shape.output;
  }
  [[nodiscard]] double rate_at(std::int64_t concurrency) {
    return serving_.at(concurrency).requests_per_second;
  }
  void find_limits();
  [[nodiscard]] Ceiling ceiling() const;
  [[nodiscard]] std::string memory_reason();
  [[nodiscard]] std::string none_reason();
  [[nodiscard]] std::int64_t fewest_for(double rate);
  [[nodiscard]] double best_rate(std::int64_t most);
  void answer_rate(const Ceiling& ceiling);
  void run_at(double rate);
  void answer_largest(const Ceiling& ceiling);

  const ServeRequest& request_;
  ServeResult& result_;
  Serving serving_;
  Capacity capacity_;
};

void Question::find_limits() {
  result_.memory_concurrency = capacity_.most_sequences(tokens());
  if (request_.tpot_limit) {
    const Seconds limit = *request_.tpot_limit;
    result_.tpot_concurrency = largest_where(
        1, most_searched, [&](std::int64_t value) { return serving_.at(value).tpot <= limit; });
  }
  if (request_.ttft_limit && serving_.ttft() > *request_.ttft_limit) result_.ttft_concurrency = 0;
}

Ceiling Question::ceiling() const {
  Ceiling ceiling;
  if (request_.concurrency) ceiling = {*request_.concurrency, ServeBound::asked};
  const auto lower = [&](const std::optional<std::int64_t>& limit, ServeBound bound) {
    if (!limit || (ceiling.bound && *limit >= ceiling.concurrency)) return;
    ceiling = {std::min(*limit, ceiling.concurrency), bound};
  };
  lower(result_.memory_concurrency, ServeBound::memory);
  lower(result_.tpot_concurrency, ServeBound::tpot_limit);
  lower(result_.ttft_concurrency, ServeBound::ttft_limit);
  return ceiling;
}

std::string Question::memory_reason() {
  const MemoryNeed need = capacity_.need(1, tokens());
  const auto bytes = [](Bytes size) { return format_scaled(size.value(), "B"); };
  return fmt::format(
      "memory does not hold one sequence of {}: it needs {} of {} usable, weights {}",
      counted(tokens(), "token"), bytes(need.total()), bytes(*capacity_.usable()),
      bytes(need.weights));
}

/// Every limit that leaves not even one sequence.
std::string Question::none_reason() {
  std::vector<std::string> reasons;
  if (result_.memory_concurrency == 0) reasons.push_back(memory_reason());
  if (result_.tpot_concurrency == 0) {
    reasons.push_back(fmt::format("TPOT of one sequence is {} at best, the limit is {}",
                                  time_text(serving_.at(1).tpot), time_text(*request_.tpot_limit)));
  }
  if (result_.ttft_concurrency == 0) {
    reasons.push_back(fmt::format("TTFT of a prompt of {} is {} at best, the limit is {}",
                                  counted(request_.shape.prompt, "token"),
                                  time_text(serving_.ttft()), time_text(*request_.ttft_limit)));
  }
  return fmt::format("{}", fmt::join(reasons, "; "));
}

// The rate rises with the concurrency, but for a step down where all replicas have a sequence more,
// or all micro-batches: the last concurrency before such a step is better than all below it.
std::int64_t Question::fewest_for(double rate) {
  const Deployment& deployment = request_.server.deployment;
  const std::int64_t replicas = deployment.data;
  const std::int64_t stages = deployment.pipeline;
  const auto reaches = [&](std::int64_t concurrency) { return rate_at(concurrency) >= rate; };
  const std::int64_t most_rounds = std::max<std::int64_t>(1, most_searched / (replicas * stages));
  const std::int64_t rounds = smallest_where(
      1, most_rounds, [&](std::int64_t each) { return reaches(each * stages * replicas); });
  if (rounds > most_rounds) return most_searched + 1;
  const std::int64_t in_replica =
      smallest_where((rounds - 1) * stages + 1, rounds * stages,
                     [&](std::int64_t each) { return reaches(each * replicas); });
  return smallest_where((in_replica - 1) * replicas + 1, in_replica * replicas, reaches);
}

/// The highest rate of at most so many sequences: there, or before the last steps down.
double Question::best_rate(std::int64_t most) {
  const Deployment& deployment = request_.server.deployment;
  double best = rate_at(most);
  for (const std::int64_t block : {deployment.data, deployment.data * deployment.pipeline}) {
    const std::int64_t full = most / block * block;
    if (full > 0) best = std::max(best, rate_at(full));
  }
  return best;
}

/// Devices are paid for and powered whether they are busy or not.
void Question::run_at(double rate) {
  ServingPoint& point = *result_.point;
  const double idle = point.requests_per_second / rate;
  result_.most_requests_per_second = point.requests_per_second;
  point.requests_per_second = rate;
  point.output_tokens_per_second = rate * static_cast<double>(request_.shape.output);
  point.input_tokens_per_second = rate * static_cast<double>(request_.shape.prompt);
  if (point.dollars_per_million_tokens) *point.dollars_per_million_tokens *= idle;
  if (point.joules_per_token) *point.joules_per_token *= idle;
}

void Question::answer_rate(const Ceiling& ceiling) {
  const double rate = *request_.requests_per_second;
  const std::int64_t fewest = fewest_for(rate);
  if (fewest <= most_searched) result_.rate_concurrency = fewest;
  if (fewest <= ceiling.concurrency && fewest <= most_searched) {
    result_.bound = ServeBound::request_rate;
    result_.point = serving_.at(fewest);
    run_at(rate);
    return;
  }
  const std::string best = rate_text(best_rate(ceiling.concurrency));
  if (fewest > most_searched) {
    result_.bound = ServeBound::request_rate;
    result_.reason = fmt::format("no concurrency reaches {} requests/s: {} at most",
                                 format_exact(rate), rate_text(best_rate(most_searched)));
    if (ceiling.bound) {
      result_.reason += fmt::format("; {} {} at most", left_text(ceiling), best);
    }
    return;
  }
  result_.bound = ceiling.bound.value();
  result_.reason = fmt::format("{} requests/s need a concurrency of {}; {} {} at most",
                               format_exact(rate), count_text(fewest), left_text(ceiling), best);
}

void Question::answer_largest(const Ceiling& ceiling) {
  result_.bound = ceiling.bound.value();
  result_.point = serving_.at(ceiling.concurrency);
  if (request_.concurrency && result_.bound != ServeBound::asked) {
    const bool memory = result_.bound == ServeBound::memory;
    result_.notes.push_back(
        fmt::format("concurrency {} was asked for: the answer is for the {} that {}",
                    count_text(*request_.concurrency), count_text(ceiling.concurrency),
                    memory ? "memory holds" : "the TPOT limit allows"));
  }
  if (result_.bound == ServeBound::memory) {
    note_overhead(request_.server.limits.overhead, result_.notes);
  }
  if (!request_.concurrency && ceiling.concurrency == most_searched) {
    result_.notes.push_back(
        fmt::format("more than {} are not looked at", counted(most_searched, "sequence")));
  }
}

void Question::answer() {
  find_limits();
  const Ceiling most = ceiling();
  if (most.concurrency < 1) {
    result_.bound = most.bound.value();
    result_.reason = none_reason();
  } else if (request_.requests_per_second) {
    answer_rate(most);
  } else if (most.bound) {
    answer_largest(most);
  } else {
    throw Error(Diagnostic{
        .what = fmt::format("nothing limits the concurrency: the memory of {} is not known",
                            request_.server.device.name),
        .why = "the largest concurrency follows from memory or from a limit on TPOT",
        .fix = "--memory 80GiB, or --concurrency 32"});
  }
}

}  // namespace

std::string_view to_string(ServeBound bound) {
  switch (bound) {
    case ServeBound::asked:
      return "asked";
    case ServeBound::request_rate:
      return "request-rate";
    case ServeBound::memory:
      return "memory";
    case ServeBound::tpot_limit:
      return "tpot-limit";
    case ServeBound::ttft_limit:
      return "ttft-limit";
  }
  return "";
}

ServeResult serve(const ServeRequest& request) {
  require_sound(request);
  const Server& server = request.server;
  const Setting setting =
      make_setting(server.model, server.device, server.deployment, server.precision);
  ServeResult result;
  result.precision = setting.precision;
  result.price = listed_price(server);
  result.notes = setting.notes;
  note_latency_left_out(setting.network, result.notes);
  add_notes(request, result);
  Question(request, setting, result).answer();
  return result;
}

}  // namespace roofline
