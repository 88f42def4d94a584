// Steps of real models: their totals in 16 bits, worked out apart from this program in exact
// fractions, and published reference figures.
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "cost/step_costs.hpp"
#include "roofline/catalog.hpp"
#include "roofline/step.hpp"

namespace roofline {
namespace {

/// One prompt's `new_tokens` behind `cached` ones.
Step behind(std::int64_t cached, std::int64_t new_tokens) {
  return {.groups = {{.count = 1, .new_tokens = new_tokens, .cached_tokens = cached}}};
}

Totals totals_of_model(const std::string& model, const Step& step) {
  return totals_of(operators_of(Catalog().model(model), step));
}

Approx near(double value) {
  return Approx(value).epsilon(1e-12);
}

TEST_CASE("Steps of models of every kind have their totals", "[cost]") {
  struct Row {
    std::string model;
    Step step;
    double flops;
    double weights;
    double kv;
    double state;
    double activations;
  };
  const Row row = GENERATE(values<Row>({
      {"mixtral-8x7b", decode_step(1, 2048), 26'570'915'840, 25'497'174'016, 268'435'456, 0,
       8'608'768},
      {"mixtral-8x7b", decode_step(8, 2048), 212'567'326'720, 84'113'293'312, 2'147'483'648, 0,
       68'870'144},
      {"mixtral-8x7b", decode_step(32, 2048), 850'269'306'880, 93'133'848'690.451248, 8'589'934'592,
       0, 275'480'576},
      {"mixtral-8x7b", prefill_step(2, 1000), 50'995'396'608'000, 93'142'908'928, 262'144'000, 0,
       17'073'296'384},
      {"deepseek-v3", decode_step(1, 1), 73'254'191'104, 73'249'193'984, 70'272, 0, 44'090'112},
      {"deepseek-v3", decode_step(1, 2048), 108'045'139'968, 73'249'193'984, 143'917'056, 0,
       52'077'696},
      {"deepseek-v3", decode_step(32, 2048), 3'457'444'478'976, 866'695'179'109.941406,
       4'605'345'792, 0, 1'666'486'272},
      {"deepseek-v3", prefill_step(1, 2048), 156'705'362'542'592, 1'340'197'437'440, 143'917'056, 0,
       89'737'931'264},
      {"deepseek-v3", behind(4096, 256), 32'067'208'871'936, 1'339'811'296'072.844238, 305'823'744,
       0, 44'254'439'936},
      {"deepseek-v2-lite", decode_step(4, 1000), 23'370'596'352, 11'574'177'984, 124'416'000, 0,
       21'908'480},
      {"deepseek-v2-lite", prefill_step(1, 1000), 4'621'984'358'400, 30'993'285'120, 31'104'000, 0,
       4'829'520'896},
      {"qwen3-next-80b-a3b", decode_step(1, 2048), 7'661'879'296, 7'124'746'240, 50'331'648,
       154'533'888, 9'635'168},
      {"qwen3-next-80b-a3b", decode_step(16, 2048), 122'590'068'736, 45'951'364'114.397087,
       805'306'368, 2'472'542'208, 154'162'688},
      {"qwen3-next-80b-a3b", prefill_step(2, 3000), 41'592'684'019'712, 158'723'670'016,
       147'456'000, 154'533'888, 55'963'815'936},
      {"llama-4-scout", decode_step(4, 8192), 161'315'553'280, 64'170'557'440, 6'442'450'944, 0,
       43'033'088},
      {"llama-4-scout", decode_step(4, 8193), 137'160'294'400, 64'170'557'440, 1'611'399'168, 0,
       43'033'088},
      {"llama-4-scout", prefill_step(1, 20000), 707'599'121'121'280, 213'469'757'440, 3'932'160'000,
       0, 206'879'134'336},
      {"llama-4-scout", behind(8191, 1), 40'328'888'320, 32'275'824'640, 1'610'612'736, 0,
       10'758'272},
      {"llama-4-scout", behind(8000, 9000), 325'541'116'641'280, 213'469'757'440, 3'342'336'000, 0,
       93'095'838'336},
      {"gpt-oss-20b", decode_step(8, 4000), 64'207'060'992, 27'524'368'321.875, 811'597'824, 0,
       35'488'768},
      {"gpt-oss-20b", prefill_step(1, 1000), 6'179'146'285'056, 40'657'305'600, 49'152'000, 0,
       4'028'567'936},
      {"gemma-3n-e4b", decode_step(8, 4000), 74'547'900'160, 8'971'671'008, 693'633'024, 0,
       48'160'256},
      {"gemma-3n-e4b", prefill_step(2, 1000), 16'028'181'063'168, 8'971'671'008, 143'360'000, 0,
       10'983'329'792},
      {"mamba-2.8b", decode_step(3, 777), 16'666'091'520, 5'521'285'120, 0, 137'625'600,
       16'211'568},
      {"mamba-2.8b", prefill_step(3, 777), 12'350'247'690'240, 5'521'285'120, 0, 68'812'800,
       12'350'365'296},
      {"jamba-1.5-large", decode_step(8, 4000), 1'507'696'050'176, 556'908'797'440, 1'179'648'000,
       1'156'055'040, 302'440'960},
      {"jamba-1.5-large", prefill_step(2, 1000), 372'714'587'291'648, 795'986'624'512, 73'728'000,
       144'506'880, 75'315'622'912},
      {"granite-4.0-h-small", decode_step(8, 4000), 144'441'933'824, 47'976'536'507.634872,
       524'288'000, 2'445'115'392, 110'220'288},
      {"granite-4.0-h-small", prefill_step(2, 1000), 34'009'273'991'168, 64'410'353'664, 32'768'000,
       305'639'424, 27'137'697'792},
      {"nemotron-h-56b", decode_step(8, 4000), 903'507'083'264, 110'486'355'968, 1'310'720'000,
       14'601'682'944, 173'694'976},
      {"nemotron-h-56b", prefill_step(2, 1000), 219'292'666'167'296, 110'486'355'968, 81'920'000,
       1'825'210'368, 42'867'245'056},
      {"minimax-m1", decode_step(8, 4000), 768'182'583'296, 390'732'447'349.5, 1'310'720'000,
       4'697'620'480, 224'393'216},
      {"minimax-m1", prefill_step(2, 1000), 184'840'357'412'864, 909'717'798'912, 81'920'000,
       587'202'560, 55'274'296'832},
  }));
  const StepGroup& group = row.step.groups.front();
  CAPTURE(row.model, group.count, group.new_tokens, group.cached_tokens);
  const Totals totals = totals_of_model(row.model, row.step);
  CHECK(totals.flops.value() == near(row.flops));
  CHECK(totals.weights.value() == near(row.weights));
  CHECK(totals.kv.value() == near(row.kv));
  CHECK(totals.state.value() == near(row.state));
  CHECK(totals.activations.value() == near(row.activations));
}

TEST_CASE("Decode at context 2048 has the figures that are published for it", "[cost]") {
  const auto [model, batch, bytes, flops] =
      GENERATE(table<std::string, std::int64_t, double, double>({
          {"mixtral-8x7b", 1, 2.577e10, 2.657e10},
          {"mixtral-8x7b", 32, 1.0173e11, 8.503e11},
          {"deepseek-v3", 1, 7.34e10, 1.080e11},
      }));
  CAPTURE(model, batch);
  const Totals totals = totals_of_model(model, decode_step(batch, 2048));
  // As many digits as the figures have.
  CHECK(totals.compulsory().value() == Approx(bytes).epsilon(0.0005));
  CHECK(totals.flops.value() == Approx(flops).epsilon(0.0005));
}

TEST_CASE("A prompt without a mask costs chunks and latents every pair", "[cost]") {
  const auto [model, flops, kv] = GENERATE(table<std::string, double, double>({
      {"deepseek-v3", 76'394'809'262'080, 70'272'000},
      {"llama-4-scout", 31'191'962'091'520, 196'608'000},
  }));
  INFO(model);
  Step step = prefill_step(1, 1000);
  step.causal = false;
  const Totals totals = totals_of_model(model, step);
  CHECK(totals.flops == Flops(flops));
  CHECK(totals.kv == Bytes(kv));
}

TEST_CASE("Decode of DeepSeek V3 beside a piece of a prompt takes both forms", "[cost]") {
  Step step = decode_step(8, 2048);
  step.groups.push_back({.count = 1, .new_tokens = 512, .cached_tokens = 1024});
  const Totals totals = totals_of_model("deepseek-v3", step);
  CHECK(totals.flops == Flops(42'793'018'327'040));
  CHECK(totals.weights.value() == near(1'340'197'349'001.9363));
  CHECK(totals.kv == Bytes(1'259'274'240));
  CHECK(totals.activations == Bytes(31'110'548'992));
}

TEST_CASE("Choosing the experts of Mixtral changes what it reads", "[cost]") {
  using enum ExpertChoice::Kind;
  const auto [kind, count, weights] = GENERATE(table<ExpertChoice::Kind, std::int64_t, double>({
      {expected, 0, 93'133'848'690.45125},
      {fewest, 0, 25'497'174'016},
      {all, 0, 93'142'908'928},
      {fixed, 5, 59'320'041'472},
  }));
  Step step = decode_step(32, 2048);
  step.experts = {.kind = kind, .count = count};
  const Totals totals = totals_of_model("mixtral-8x7b", step);
  CHECK(totals.weights.value() == near(weights));
  CHECK(totals.flops == Flops(850'269'306'880));
  CHECK(totals.kv == Bytes(8'589'934'592));
}

}  // namespace
}  // namespace roofline
