#include "cli/commands.hpp"

#include <memory>
#include <string>

namespace roofline::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> all{
      {"analyze", "is a workload compute-bound or memory-bound, and how fast can it be",
       "  roofline analyze --gpu H100 --workload decode --batch 32\n"
       "  roofline analyze -m llama-3-70b -g H100,L4 -b 1..128x2 -c 4096 -f csv\n",
       set_up_analyze},
      {"compare", "which device runs it fastest, cheapest, with most room: all of them, ranked",
       "  roofline compare -m llama-3.1-8b -b 32 -c 2048\n"
       "  roofline compare -m llama-3-70b -g H100,H200,MI300X --tp 4 --by cost\n"
       "  roofline compare --input-len 1024 --output-len 256 --tpot-limit 30ms --by cost\n",
       set_up_compare},
      {"fit", "does it fit into memory, and how many sequences of what length is there room for",
       "  roofline fit -m llama-3-70b -g H100 -c 2048\n"
       "  roofline fit -m llama-3.1-8b -g L4 -b 4 -c 16K --kv-dtype fp8\n",
       set_up_fit},
      {"serve", "latency, throughput and cost of serving requests, and how many at once",
       "  roofline serve -m llama-3.1-8b -g H100 --concurrency 64\n"
       "  roofline serve -m llama-3-70b -g H100 --tp 4 --input-len 2048 --tpot-limit 30ms\n",
       set_up_serve},
      {"solve", "the batch, context, concurrency or number of devices that meets limits",
       "  roofline solve batch --bound compute -m llama-3-70b -g H100 -c 1024\n"
       "  roofline solve devices -m llama-3-70b -g H100 -b 32 -c 8192 --tpot-limit 20ms\n",
       set_up_solve},
      {"sweep", "a table of the full product of any lists, row by row",
       "  roofline sweep -m llama-3.1-8b -g H100,L4 -b 1..256x2\n"
       "  roofline sweep -m llama-3-70b -g H100 --tp 1..8x2 --weight-dtype bf16,fp8 -f csv\n",
       set_up_sweep},
      {"plot", "the roofline drawn: in the terminal, in SVG, in a page",
       "  roofline plot -g A100 --spec textbook -o roofline.svg\n"
       "  roofline plot -m llama-3.1-8b -g H100 -b 1,8,32,128\n"
       "  roofline plot -m llama-3.1-8b -g H100,L4 --x batch --y throughput -o curves.html\n",
       set_up_plot},
      {"check", "will a serving config start, is it what was meant, does it meet its targets",
       "  roofline check deploy/vllm.yaml -g H100\n"
       "  roofline check deploy/ --require max-ttft=500ms --fail-on warning -f sarif -o out.sarif\n"
       "  helm template chart | roofline check - -g L4\n",
       set_up_check},
      {"list", "the devices, models, number formats or rules that are built in",
       "  roofline list devices\n"
       "  roofline list models -f csv\n",
       set_up_list},
      {"show", "all that is known of one device or model, with sources",
       "  roofline show device H100\n"
       "  roofline show model ./config.json\n",
       set_up_show},
      {"explain", "what a rule of check, or a term, means",
       "  roofline explain kv-too-small\n"
       "  roofline explain\n",
       set_up_explain},
      {"help", "help on a command, or on a topic such as units",
       "  roofline help analyze\n"
       "  roofline help units\n",
       set_up_help},
      {"version", "the version and the licence", "  roofline version\n", set_up_version}};
  return all;
}

const Command* find_command(std::string_view name) {
  for (const Command& command : commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

std::unique_ptr<CLI::App> make_app(const Command* command, Session& session) {
  auto app = std::make_unique<CLI::App>(
      "how fast can this model run on that device, and what holds it back", "roofline");
  app->set_help_flag();
  app->allow_extras();
  const std::string group = "Global";
  app->add_flag("-q,--quiet", session.global.quiet, "no notes")->group(group);
  app->add_flag("-v,--verbose", session.global.verbose, "also where the data came from")
      ->group(group);
  app->add_option("--color", session.global.color, "auto, always or never [auto]")
      ->type_name("WHEN")
      ->take_last()
      ->group(group);
  app->add_option("--data", session.global.data,
                  "a directory with devices, models and formats of one's own")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->group(group);
  app->add_flag("-h,--help", session.global.help, "-h one line a flag, --help all of it")
      ->group(group);
  app->add_flag("-V,--version", session.global.version, "print the version")->group(group);
  if (command == nullptr) return app;
  CLI::App* sub = app->add_subcommand(command->name, command->summary);
  sub->set_help_flag();
  sub->fallthrough();
  sub->allow_extras();
  command->set_up(*sub, session);
  return app;
}

}  // namespace roofline::cli
