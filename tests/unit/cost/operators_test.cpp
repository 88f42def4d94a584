// A step's operators: reference figures of real models, a small model worked out by hand, windows,
// plain MLPs, quantised formats, and the three kinds of bytes kept apart.
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "cost/step_costs.hpp"
#include "roofline/step.hpp"

namespace roofline {
namespace {

constexpr Attention llama_2_attention{
    .query_heads = 32, .kv_heads = 32, .head_dim = 128, .window = {}, .chunk = {}};
constexpr Attention gemma_2_attention{
    .query_heads = 8, .kv_heads = 4, .head_dim = 256, .window = {}, .chunk = {}};

Attention with_window(Attention attention, std::int64_t window) {
  attention.window = window;
  return attention;
}

Model llama_3_70b() {
  const Attention attention{
      .query_heads = 64, .kv_heads = 8, .head_dim = 128, .window = {}, .chunk = {}};
  return make_model(8192, 128256, {layers(80, attention, Mlp{.width = 28672})});
}

Model llama_2_7b(bool gated = true) {
  return make_model(4096, 32000,
                    {layers(32, llama_2_attention, Mlp{.width = 11008, .gated = gated})});
}

Model mistral_7b() {
  const Attention attention{
      .query_heads = 32, .kv_heads = 8, .head_dim = 128, .window = 4096, .chunk = {}};
  return make_model(4096, 32000, {layers(32, attention, Mlp{.width = 14336})});
}

/// Every other layer has a window.
Model gemma_2_2b() {
  Model model = make_model(2304, 256000,
                           {layers(13, with_window(gemma_2_attention, 4096), Mlp{.width = 9216}),
                            layers(13, gemma_2_attention, Mlp{.width = 9216})});
  model.tied_embeddings = true;
  return model;
}

TEST_CASE("Decode of Llama 3 70B at context 2048 has its reference figures", "[cost]") {
  const auto [batch, flops, bytes, intensity] =
      GENERATE(table<std::int64_t, double, double, double>({
          {1, 144'372'137'984, 139'674'517'504, 1.034},
          {8, 1'154'977'103'872, 144'372'137'984, 8.000},
          {32, 4'619'908'415'488, 160'478'265'344, 28.788},
          {128, 18'479'633'661'952, 224'902'774'784, 82.167},
          {1024, 147'837'069'295'616, 826'198'196'224, 178.937},
      }));
  CAPTURE(batch);
  const Totals totals = totals_of(operators_of(llama_3_70b(), decode_step(batch, 2048)));
  CHECK(totals.flops == Flops(flops));
  CHECK(totals.weights + totals.kv + totals.state == Bytes(bytes));
  CHECK((totals.flops / Bytes(bytes)).value() == Approx(intensity).margin(0.0005));
}

TEST_CASE("A step reads every matrix parameter of Llama 3 70B once", "[cost]") {
  // The embedding table is not read: 70,552,387,584 less 128256 x 8192.
  const Totals totals = totals_of(operators_of(llama_3_70b(), decode_step(1, 2048)));
  CHECK(totals.weights == Bytes(2 * (70'552'387'584.0 - 128'256.0 * 8192)));
}

TEST_CASE("Llama 2 7B in fp16 has its reference figures", "[cost]") {
  const auto [name, step, flops, weights, kv] =
      GENERATE(table<std::string, Step, double, double, double>({
          {"decode of 1", decode_step(1, 2048), 14'287'896'576, 13'214'154'752, 1'073'741'824},
          {"decode of 32", decode_step(32, 2048), 457'212'690'432, 13'214'154'752, 34'359'738'368},
          {"prefill", prefill_step(1, 1024), 13'538'267'496'448, 13'214'154'752, 536'870'912},
      }));
  INFO(name);
  const Totals totals = totals_of(operators_of(llama_2_7b(), step));
  CHECK(totals.flops == Flops(flops));
  CHECK(totals.weights == Bytes(weights));
  CHECK(totals.kv == Bytes(kv));
  CHECK(totals.state == Bytes(0));
}

TEST_CASE("A prompt without a mask costs the pairs above the diagonal too", "[cost]") {
  // 1024 x 1023 / 2 pairs more than the causal prompt, 4 x 4096 FLOP each, in 32 layers.
  Step step = prefill_step(1, 1024);
  step.causal = false;
  const Totals totals = totals_of(operators_of(llama_2_7b(), step));
  CHECK(totals.flops == Flops(13'538'267'496'448 + 523'776.0 * 4 * 4096 * 32));
  CHECK(totals.kv == Bytes(536'870'912));
}

TEST_CASE("Every operator of a small model is as worked out by hand", "[cost]") {
  // h 8, V 20, 2 layers of H 4, H_kv 2, d 3 (H d = 12, not h) and a gated MLP of 10.
  // 3 sequences decode at context 5, and one computes 4 tokens behind 2 cached: T = 7, R = 4.
  const Attention grouped{
      .query_heads = 4, .kv_heads = 2, .head_dim = 3, .window = {}, .chunk = {}};
  const Model model = make_model(8, 20, {layers(2, grouped, Mlp{.width = 10})});
  Step step = decode_step(3, 5);
  step.groups.push_back({.count = 1, .new_tokens = 4, .cached_tokens = 2});
  Precision precision = fp16();
  precision.weights[Part::mixer].bits = 8;
  precision.weights[Part::mlp].bits = 6;
  precision.weights[Part::lm_head].bits = 32;
  precision.kv.bits = 4;

  const std::vector<Operator> operators = operators_of(model, step, precision);
  const auto linear = [](std::string_view name, Part part, std::int64_t inputs,
                         std::int64_t outputs) {
    Operator op;
    op.name = name;
    op.layers = 2;
    op.operands = Operands::weights;
    op.part = part;
    op.rows = 7;
    op.inputs = inputs;
    op.outputs = outputs;
    return op;
  };
  Operator embedding;
  embedding.name = "embedding";
  embedding.activations = Bytes(2 * 2 * 7 * 8);  // read and written: 2 x 7 x 8 elements

  Operator qkv = linear("qkv", Part::mixer, 8, 24);  // (4 + 2 x 2) x 3
  qkv.flops = Flops(5376);                           // 2 x 7 x 8 x 24 x 2
  qkv.weights = Bytes(384);                          // 8 x 24 x 2
  qkv.activations = Bytes(896);                      // 2 x 7 x (8 + 24) x 2

  Operator attention;
  attention.name = "attention";
  attention.layers = 2;
  attention.operands = Operands::cache;
  attention.flops = Flops(3168);       // pairs 3 x 5 + 3 + 4 + 5 + 6 = 33: 4 x 12 x 33 x 2
  attention.kv = Bytes(252);           // spans 3 x 5 + 6 = 21: 21 x 2 x 2 x 3 x 2 elements / 2
  attention.activations = Bytes(672);  // 7 x 2 x 12 x 2 elements x 2

  Operator output = linear("o", Part::mixer, 12, 8);
  output.flops = Flops(2688);       // 2 x 7 x 96 x 2
  output.weights = Bytes(192);      // 96 x 2
  output.activations = Bytes(560);  // 2 x 7 x 20 x 2
  output.split_inputs = true;

  Operator up = linear("gate+up", Part::mlp, 8, 20);
  up.flops = Flops(4480);       // 2 x 7 x 160 x 2
  up.weights = Bytes(240);      // 160 x 2 x 6 / 8
  up.activations = Bytes(784);  // 2 x 7 x 28 x 2

  Operator down = linear("down", Part::mlp, 10, 8);
  down.flops = Flops(2240);       // 2 x 7 x 80 x 2
  down.weights = Bytes(120);      // 80 x 2 x 6 / 8
  down.activations = Bytes(504);  // 2 x 7 x 18 x 2
  down.split_inputs = true;

  Operator lm_head = linear("lm_head", Part::lm_head, 8, 20);
  lm_head.layers = 1;
  lm_head.rows = 4;
  lm_head.flops = Flops(1280);       // 2 x 4 x 160
  lm_head.weights = Bytes(640);      // 160 x 4
  lm_head.activations = Bytes(224);  // 2 x 4 x 28

  REQUIRE(operators.size() == 7);
  CHECK(operators[0] == embedding);
  CHECK(operators[1] == qkv);
  CHECK(operators[2] == attention);
  CHECK(operators[3] == output);
  CHECK(operators[4] == up);
  CHECK(operators[5] == down);
  CHECK(operators[6] == lm_head);
}

TEST_CASE("A plain MLP has one matrix up and one down", "[cost]") {
  const Step step = decode_step(1, 1);
  const std::vector<Operator> gated = operators_of(llama_2_7b(), step);
  const std::vector<Operator> plain = operators_of(llama_2_7b(false), step);

  const Operator& up = find(plain, "up");
  CHECK(up.outputs == 11008);
  CHECK(up.weights == Bytes(2.0 * 4096 * 11008 * 32));
  CHECK(find(gated, "gate+up").outputs == 22016);
  CHECK(find(gated, "gate+up").weights == up.weights * 2);
  CHECK(find(gated, "gate+up").flops == up.flops * 2);
  CHECK(find(gated, "down") == find(plain, "down"));
}

TEST_CASE("Decode of Mistral 7B stops growing at its window", "[cost]") {
  const auto [context, flops, kv] = GENERATE(table<std::int64_t, double, double>({
      {2048, 122'356'236'288, 2'147'483'648},
      {4096, 130'946'170'880, 4'294'967'296},
      {8192, 130'946'170'880, 4'294'967'296},
      {32768, 130'946'170'880, 4'294'967'296},
  }));
  CAPTURE(context);
  const Totals totals = totals_of(operators_of(mistral_7b(), decode_step(8, context)));
  CHECK(totals.flops == Flops(flops));
  CHECK(totals.weights == Bytes(14'220'787'712));
  CHECK(totals.kv == Bytes(kv));
}

TEST_CASE("A prompt of Mistral 7B crosses its window", "[cost]") {
  // Pairs 4096 x 4097 / 2 + 1904 x 4096 = 16,189,440; all 6000 tokens are written.
  const std::vector<Operator> operators = operators_of(mistral_7b(), prefill_step(1, 6000));
  const Operator& attention = find(operators, "attention");
  CHECK(attention.window == 4096);
  CHECK(attention.flops == Flops(16'189'440.0 * 4 * 4096 * 32));
  CHECK(attention.kv == Bytes(2.0 * 6000 * 2 * 8 * 128 * 32));
  CHECK(totals_of(operators).flops == Flops(92'240'053'534'720));
}

TEST_CASE("Gemma 2 has a window on every other layer", "[cost]") {
  const auto [name, step, flops, kv] = GENERATE(table<std::string, Step, double, double>({
      {"2048", decode_step(8, 2048), 45'315'260'416, 1'744'830'464},
      {"4096", decode_step(8, 4096), 48'804'921'344, 3'489'660'928},
      {"4097", decode_step(8, 4097), 48'805'773'312, 3'490'086'912},
      {"8192", decode_step(8, 8192), 52'294'582'272, 5'234'491'392},
      {"prompt of 8192", prefill_step(2, 8192), 78'842'087'604'224, 1'744'830'464},
  }));
  INFO(name);
  const std::vector<Operator> operators = operators_of(gemma_2_2b(), step);
  const Totals totals = totals_of(operators);
  CHECK(totals.flops == Flops(flops));
  CHECK(totals.weights == Bytes(5'228'199'936));
  CHECK(totals.kv == Bytes(kv));
  REQUIRE(operators.size() == 12);
  CHECK(operators[2].window == 4096);
  CHECK(operators[2].layers == 13);
  CHECK_FALSE(operators[7].window);
  CHECK(operators[7].layers == 13);
}

TEST_CASE("A tied lm_head reads the table once", "[cost]") {
  Model model = gemma_2_2b();
  const std::vector<Operator> tied = operators_of(model, decode_step(1, 1));
  model.tied_embeddings = false;
  const std::vector<Operator> apart = operators_of(model, decode_step(1, 1));
  CHECK(find(tied, "lm_head").part == Part::embedding);
  CHECK(find(apart, "lm_head").part == Part::lm_head);
  CHECK(totals_of(apart).weights == totals_of(tied).weights);
  CHECK(find(tied, "lm_head").weights == Bytes(2.0 * 2304 * 256000));
  CHECK(find(tied, "embedding").weights == Bytes(0));
}

/// Bytes of a weight in AWQ.
constexpr double awq = 4.15625 / 8;

TEST_CASE("lm_head is read in the format of the matrix that it is", "[cost]") {
  const auto [embedding, lm_head, tied, bytes] = GENERATE(table<bool, bool, bool, double>({
      {false, false, false, 2},
      {false, true, false, awq},
      {false, true, true, 2},
      {true, false, true, awq},
      {true, false, false, 2},
      {true, true, true, awq},
  }));
  CAPTURE(embedding, lm_head, tied);
  // The matrices but for the embedding table and lm_head, of 128256 x 8192 each.
  constexpr double head = 128'256.0 * 8192;
  constexpr double in_layers = 70'552'387'584.0 - 2 * head;
  Model model = llama_3_70b();
  model.tied_embeddings = tied;
  Precision precision = fp16();
  for (const Part part : {Part::mixer, Part::mlp}) precision.weights[part].bits = 4.15625;
  if (embedding) precision.weights[Part::embedding].bits = 4.15625;
  if (lm_head) precision.weights[Part::lm_head].bits = 4.15625;
  const std::vector<Operator> operators = operators_of(model, decode_step(1, 2048), precision);
  const Totals totals = totals_of(operators);
  CHECK(find(operators, "lm_head").weights.value() == Approx(bytes * head).epsilon(1e-12));
  CHECK(totals.weights.value() == Approx(awq * in_layers + bytes * head).epsilon(1e-12));
  CHECK(totals.flops == Flops(144'372'137'984));
  CHECK(totals.kv == Bytes(671'088'640));
}

TEST_CASE("No operator mixes the kinds of bytes", "[cost]") {
  const Step step = GENERATE(decode_step(8, 5000), prefill_step(2, 5000));
  for (const Operator& op : operators_of(gemma_2_2b(), step)) {
    INFO(op.name);
    const bool attention = op.name == "attention";
    const bool embedding = op.name == "embedding";
    CHECK((op.weights > Bytes(0)) == (!attention && !embedding));
    CHECK((op.kv > Bytes(0)) == attention);
    CHECK(op.state == Bytes(0));
    CHECK(op.activations > Bytes(0));
    CHECK((op.flops > Flops(0)) == !embedding);
    CHECK(op.compulsory() == op.weights + op.kv);
  }
}

TEST_CASE("Each format decides one kind of bytes", "[cost]") {
  const Step step = decode_step(4, 3000);
  const Totals before = totals_of(operators_of(llama_2_7b(), step));
  const auto half = [&](NumberFormat& format, const Precision& precision) {
    format.bits = 8;
    return totals_of(operators_of(llama_2_7b(), step, precision));
  };
  Precision narrow = fp16();
  for (const Part part : all_parts) narrow.weights[part].bits = 8;
  const Totals weights = totals_of(operators_of(llama_2_7b(), step, narrow));
  CHECK(weights.weights == before.weights / 2);
  CHECK(weights.kv == before.kv);
  CHECK(weights.activations == before.activations);
  narrow = fp16();
  const Totals kv = half(narrow.kv, narrow);
  CHECK(kv.weights == before.weights);
  CHECK(kv.kv == before.kv / 2);
  CHECK(kv.activations == before.activations);
  narrow = fp16();
  const Totals activations = half(narrow.activations, narrow);
  CHECK(activations.weights == before.weights);
  CHECK(activations.kv == before.kv);
  CHECK(activations.activations == before.activations / 2);
}

TEST_CASE("lm_head computes the rows of logits that are asked for", "[cost]") {
  // A verification of 3 drafts: 4 new tokens and 4 rows of logits for each of 2 sequences.
  const Step step{.groups = {{.count = 2, .new_tokens = 4, .cached_tokens = 99, .logit_rows = 4}}};
  const std::vector<Operator> operators = operators_of(llama_2_7b(), step);
  CHECK(find(operators, "lm_head").flops == Flops(2.0 * 8 * 4096 * 32000));
  const std::vector<Operator> prompt = operators_of(llama_2_7b(), prefill_step(5, 1000));
  CHECK(find(prompt, "lm_head").flops == Flops(2.0 * 5 * 4096 * 32000));
}

TEST_CASE("A second list takes the place of the first without allocating", "[cost]") {
  std::vector<Operator> operators;
  list_operators(gemma_2_2b(), decode_step(1, 10), fp16(), {}, operators);
  const Operator* const storage = operators.data();
  list_operators(llama_2_7b(), prefill_step(3, 100), fp16(), {}, operators);
  CHECK(operators.data() == storage);
  CHECK(operators == operators_of(llama_2_7b(), prefill_step(3, 100)));
}

}  // namespace
}  // namespace roofline
