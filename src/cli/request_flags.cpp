#include "cli/request_flags.hpp"

#include <cmath>
#include <utility>

#include "base/decimal.hpp"
#include "base/number.hpp"
#include "base/parse.hpp"

namespace roofline::cli {
namespace {

/// `2.5` or `2.5/s`: requests a second.
double parse_request_rate(const std::string& text) {
  constexpr const char* flag = "--request-rate";
  constexpr double most = 1e9;
  const Decimal decimal = number_part(text, flag, "2.5");
  if (!decimal.rest.empty() && decimal.rest != "/s") {
    refuse(flag, text, "is not a request rate", "it is a number of requests a second",
           with_value(flag, decimal.number));
  }
  const double rate = decimal.value().value_or(INFINITY);
  if (rate <= 0) {
    refuse(flag, text, "is too low", "no request would ever come", with_value(flag, "2.5"));
  }
  if (rate > most) refuse(flag, text, "is too high", "at most 1e9 requests a second", {});
  return rate;
}

/// Reads a flag that was given into its target.
template <class Target, class Read>
void read_given(const std::string& text, Target& target, ErrorCollector& errors, Read read) {
  if (text.empty()) return;
  errors.collect([&] { target = read(text); });
}

auto count(const char* flag) {
  return [flag](const std::string& text) { return parse_count(text, flag); };
}

auto time(const char* flag) {
  return [flag](const std::string& text) { return parse_time(text, flag); };
}

}  // namespace

void add_request_flags(CLI::App& command, RequestFlags& flags) {
  const auto add = [&](const char* names, std::string& value, const char* type, const char* text) {
    command.add_option(names, value, text)->type_name(type)->take_last()->group("Workload");
  };
  add("--input-len,--prompt-len", flags.prompt, "N", "prompt tokens of a request [1024]");
  add("--output-len", flags.output, "N", "output tokens of a request [256]");
  add("--concurrency,--max-concurrency", flags.concurrency, "N",
      "sequences in flight [as many as the limits leave]");
  add("--request-rate", flags.rate, "R",
      "requests a second: the smallest concurrency that keeps up");
  add("--tpot-limit", flags.tpot_limit, "TIME",
      "time per output token under load at most, as 30ms");
  add("--ttft-limit", flags.ttft_limit, "TIME",
      "time to the first token of a prompt alone at most, as 500ms");
}

std::vector<std::string> given_request_flags(const RequestFlags& flags) {
  std::vector<std::string> given;
  for (const auto& [flag, text] :
       {std::pair("--input-len", &flags.prompt), std::pair("--output-len", &flags.output),
        std::pair("--concurrency", &flags.concurrency), std::pair("--request-rate", &flags.rate),
        std::pair("--tpot-limit", &flags.tpot_limit),
        std::pair("--ttft-limit", &flags.ttft_limit)}) {
    if (!text->empty()) given.emplace_back(flag);
  }
  return given;
}

ServingQuestion read_requests(const RequestFlags& flags, ErrorCollector& errors) {
  ServingQuestion question;
  read_given(flags.prompt, question.shape.prompt, errors, count("--input-len"));
  read_given(flags.output, question.shape.output, errors, count("--output-len"));
  read_given(flags.concurrency, question.concurrency, errors, count("--concurrency"));
  read_given(flags.rate, question.requests_per_second, errors, parse_request_rate);
  read_given(flags.tpot_limit, question.tpot_limit, errors, time("--tpot-limit"));
  read_given(flags.ttft_limit, question.ttft_limit, errors, time("--ttft-limit"));
  if (!flags.concurrency.empty() && !flags.rate.empty()) {
    errors.add(Error(Diagnostic{.what = "--concurrency and --request-rate contradict each other",
                                .why = "each of them says how many sequences are in flight",
                                .fix = "leave one of them out"}));
  }
  return question;
}

report::Fields request_inputs(const ServingQuestion& question) {
  report::Fields inputs{{"input_tokens", number(question.shape.prompt)},
                        {"output_tokens", number(question.shape.output)}};
  if (question.concurrency) inputs.emplace_back("concurrency", number(*question.concurrency));
  if (question.requests_per_second) {
    inputs.emplace_back("requests_per_s", *question.requests_per_second);
  }
  if (question.tpot_limit) inputs.emplace_back("tpot_limit_s", question.tpot_limit->value());
  if (question.ttft_limit) inputs.emplace_back("ttft_limit_s", question.ttft_limit->value());
  return inputs;
}

}  // namespace roofline::cli
