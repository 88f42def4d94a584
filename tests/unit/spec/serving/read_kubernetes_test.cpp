// Kubernetes manifests: where commands hide in the kinds, variables, GPUs and their nodes.
#include <catch2/catch.hpp>

#include "read_config.hpp"
#include "spec/serving/gpu_labels.hpp"

using namespace roofline;
using namespace roofline::testing;
using Catch::Matchers::Contains;

namespace {

const std::string deployment = R"yaml(# The chat deployment, and what it needs.
apiVersion: v1
kind: Service
metadata: {name: chat}
spec: {ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: chat
spec:
  replicas: 2
  template:
    spec:
      nodeSelector:
        nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3
        node.kubernetes.io/instance-type: p5.48xlarge
      containers:
      - name: proxy
        image: nginx:1.27
      - name: vllm
        image: vllm/vllm-openai:v0.21.0
        args: ["--model=org/m-70b", "--tensor-parallel-size", "4",
               "--max-model-len=$(MAX_LEN)", "--max-num-seqs=$(FROM_SECRET)"]
        env:
        - {name: BASE, value: "32"}
        - name: MAX_LEN
          value: "$(BASE)768"
        - name: FROM_SECRET
          valueFrom: {
secretKeyRef : {
name:
  s, key : k
}
}
        resources:
          limits: {nvidia.com/gpu: "4"}
          requests: {nvidia.com/gpu: 4}
)yaml";

/// A pod with one container that has these lines.
std::string pod(const std::string& lines) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: "
         "c\n" +
         lines;
}

}  // namespace

TEST_CASE("A deployment's container with an engine is a launch", "[serving]") {
  const ServingConfig config = read(deployment);
  CHECK(config.type == ConfigType::kubernetes);
  REQUIRE(config.launches.size() == 1);
  const Launch& launch = config.launches[0];
  CHECK(launch.name == "Deployment/chat");
  CHECK(launch.version == "0.21.0");
  CHECK(value(launch, "model") == "org/m-70b");
  CHECK(value(launch, "tensor-parallel-size") == "4");
  CHECK(value(launch, "max-model-len") == "32768");
  CHECK(around(launch, "gpus") == "4");
  CHECK(around(launch, "gpu") == "H100-SXM5-80GB");
  CHECK(launch.find_surrounding("gpu")->written == "nvidia.com/gpu.product");
  CHECK(launch.find_surrounding("gpus")->written == "nvidia.com/gpu");
}

TEST_CASE("Arguments have their places and unresolved variables their names", "[serving]") {
  const Launch launch = launch_of(deployment);
  CHECK(spot(launch, "tensor-parallel-size") == spot(deployment, "\"4\","));
  CHECK(launch.find("model")->place.line == 23);
  CHECK(spot(launch.find_surrounding("gpus")->place) == spot(deployment, "\"4\"}"));
  REQUIRE(launch.find("max-num-seqs") != nullptr);
  CHECK(launch.find("max-num-seqs")->unresolved == std::vector<std::string>{"FROM_SECRET"});
  CHECK(launch.find("max-model-len")->unresolved.empty());
}

TEST_CASE("A script behind sh -c is found in every kind of scalar", "[serving]") {
  const std::string scalar = GENERATE(
      "\"exec vllm serve org/m --max-model-len 8192\"",
      "'exec vllm serve org/m --max-model-len 8192'", "exec vllm serve org/m --max-model-len 8192",
      ">\n      exec vllm serve org/m\n      --max-model-len 8192",
      "|\n      set -e\n      exec vllm serve org/m \\\n        --max-model-len 8192",
      "\"exec vllm serve org/m \\\n      --max-model-len 8192\"",
      "\"set -e\\nexec vllm serve \\\"org/m\\\" --max-model-len 8192\"");
  const std::string text = pod("    command: [/bin/sh, -c]\n    args:\n    - " + scalar + "\n");
  CAPTURE(text);
  const Launch launch = launch_of(text);
  CHECK(launch.name == "Pod/p");
  CHECK(value(launch, "model") == "org/m");
  CHECK(value(launch, "max-model-len") == "8192");
  CHECK(spot(launch, "max-model-len") == spot(text, "8192"));
  CHECK(launch.remarks.empty());
}

TEST_CASE("Options that a folded block leaves on a line of their own are remarked", "[serving]") {
  // Lines of a folded block that are indented more keep their line break.
  const std::string text =
      pod("    command: [/bin/sh, -c]\n    args:\n    - >-\n      exec vllm serve org/m\n"
          "        --max-model-len 8192\n");
  const Launch launch = launch_of(text);
  CHECK(value(launch, "model") == "org/m");
  CHECK(value(launch, "max-model-len") == "absent");
  REQUIRE(launch.remarks.size() == 1);
  CHECK(launch.remarks[0].rule == "yaml-surprise");
  CHECK(spot(launch.remarks[0].place) == spot(text, "--max-model-len"));
}

TEST_CASE("Variables of the pod are those of its script", "[serving]") {
  const std::string text =
      pod("    env:\n    - {name: MODEL, value: org/m}\n    - {name: TP, value: \"2\"}\n"
          "    command: [\"/bin/bash\", \"-c\"]\n"
          "    args: [\"vllm serve $MODEL --tensor-parallel-size $(TP) --max-model-len "
          "${LEN:-4096}\"]\n");
  const Launch launch = launch_of(text);
  CHECK(value(launch, "model") == "org/m");
  CHECK(value(launch, "tensor-parallel-size") == "2");
  CHECK(value(launch, "max-model-len") == "4096");
}

TEST_CASE("Every kind with pods is read", "[serving]") {
  const std::string container = "containers: [{image: vllm/vllm-openai, args: [--model, org/m]}]";
  const auto [text, name] = GENERATE_COPY(table<std::string, std::string>({
      {"kind: StatefulSet\nmetadata: {name: a}\nspec: {template: {spec: {" + container + "}}}\n",
       "StatefulSet/a"},
      {"kind: DaemonSet\nmetadata: {name: a}\nspec: {template: {spec: {" + container + "}}}\n",
       "DaemonSet/a"},
      {"kind: Job\nmetadata: {generateName: a-}\nspec: {template: {spec: {" + container + "}}}\n",
       "Job/a-"},
      {"kind: CronJob\nmetadata: {name: a}\nspec: {jobTemplate: {spec: {template: {spec: "
       "{" +
           container + "}}}}}\n",
       "CronJob/a"},
      {"kind: Rollout\nmetadata: {name: a}\nspec: {template: {spec: {" + container + "}}}\n",
       "Rollout/a"},
      {"kind: ServingRuntime\nmetadata: {name: a}\nspec: {" + container + "}\n",
       "ServingRuntime/a"},
      {"kind: List\napiVersion: v1\nitems:\n- {kind: Pod, metadata: {name: a}, spec: {" +
           container + "}}\n",
       "Pod/a"},
      {"spec: {template: {spec: {" + container + "}}}\n", ""},
  }));
  CAPTURE(text);
  const Launch launch = launch_of(text);
  CHECK(launch.name == name);
  CHECK(value(launch, "model") == "org/m");
}

TEST_CASE("A leader's engine runs on the GPUs of its whole group", "[serving]") {
  const Launch launch = launch_of(R"(apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: big}
spec:
  leaderWorkerTemplate:
    size: 2
    leaderTemplate:
      spec:
        containers:
        - name: leader
          image: vllm/vllm-openai:v0.20.1
          command: [sh, -c, "bash multi-node.sh leader; python3 -m vllm.entrypoints.openai.api_server --model org/m --tensor-parallel-size 8 --pipeline_parallel_size 2"]
          resources: {limits: {nvidia.com/gpu: "8"}}
    workerTemplate:
      spec:
        containers:
        - {name: worker, image: "vllm/vllm-openai:v0.20.1", command: [sh, -c, "bash multi-node.sh worker"]}
)");
  CHECK(launch.name == "LeaderWorkerSet/big");
  CHECK(value(launch, "pipeline-parallel-size") == "2");
  CHECK(around(launch, "gpus") == "16");
}

TEST_CASE("KServe's model runtime is vLLM with a model of its own name", "[serving]") {
  const Launch launch = launch_of(R"(apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: llama}
spec:
  predictor:
    nodeSelector: {cloud.google.com/gke-accelerator: nvidia-l4}
    model:
      modelFormat: {name: huggingface}
      args: ["--model_name=llama", "--model_id=org/m-8b", "--max_model_len=4096"]
      resources: {limits: {nvidia.com/gpu: "1"}}
)");
  CHECK(launch.name == "InferenceService/llama");
  CHECK(value(launch, "model") == "org/m-8b");
  CHECK(value(launch, "max-model-len") == "4096");
  CHECK(around(launch, "gpu") == "L4");
  CHECK(around(launch, "gpus") == "1");
  for (const EngineSetting& setting : launch.settings) CHECK(setting.known);
  const Launch uri = launch_of(R"(kind: InferenceService
metadata: {name: a}
spec: {predictor: {workerSpec: {pipelineParallelSize: 2}, model: {modelFormat: {name: huggingface}, storageUri: "hf://org/m:main"}}}
)");
  CHECK(value(uri, "model") == "org/m");
  CHECK(value(uri, "pipeline-parallel-size") == "2");
}

TEST_CASE("An LLMInferenceService says model and ranks outside of any command", "[serving]") {
  const std::string text = R"(apiVersion: serving.kserve.io/v1alpha1
kind: LLMInferenceService
metadata: {name: r1}
spec:
  model: {uri: "hf://org/m-moe", name: org/m-moe}
  parallelism: {data: 16, dataLocal: 8, tensor: 1, expert: true}
  template:
    containers:
    - name: main
      env:
      - name: VLLM_ADDITIONAL_ARGS
        value: "--gpu-memory-utilization 0.95 --max-model-len 8192"
      resources: {limits: {nvidia.com/gpu: "8"}}
)";
  const Launch launch = launch_of(text);
  CHECK(launch.name == "LLMInferenceService/r1");
  CHECK(value(launch, "model") == "org/m-moe");
  CHECK(value(launch, "data-parallel-size") == "16");
  CHECK(value(launch, "enable-expert-parallel") == "true");
  CHECK(value(launch, "max-model-len") == "8192");
  CHECK(spot(launch, "max-model-len") == spot(text, "8192"));
  CHECK(around(launch, "gpus") == "16");
}

TEST_CASE("Numbers among arguments are what Kubernetes refuses", "[serving]") {
  const std::string text =
      pod("    image: vllm/vllm-openai\n    args: [--model, org/m, --tensor-parallel-size, "
          "4]\n");
  const Launch launch = launch_of(text);
  CHECK(value(launch, "tensor-parallel-size") == "4");
  REQUIRE(launch.remarks.size() == 1);
  CHECK(launch.remarks[0].rule == "yaml-surprise");
  CHECK(launch.remarks[0].fix == "\"4\"");
  CHECK(spot(launch.remarks[0].place) == spot(text, "4]"));
}

TEST_CASE("Pods without any engine are told by their number", "[serving]") {
  const Diagnostic none = refusal(
      "kind: Pod\nmetadata: {name: a}\nspec: {containers: [{image: postgres}, {image: "
      "redis}]}\n");
  CHECK(none.what == "'f' starts no engine");
  CHECK_THAT(none.why, Contains("2 containers"));
  CHECK_THAT(refusal(pod("    image: ollama/ollama:0.5\n")).what, Contains("cannot judge Ollama"));
  CHECK_THAT(refusal(pod("    image: ghcr.io/huggingface/text-generation-inference:3\n    "
                         "args: [a]\n"))
                 .what,
             Contains("cannot judge TGI"));
}

TEST_CASE("Two engines of one pod have the names of their containers", "[serving]") {
  const ServingConfig config = read(
      "kind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n"
      "  - {name: big, image: vllm/vllm-openai, args: [--model, a/b]}\n"
      "  - {name: small, image: vllm/vllm-openai, args: [--model, a/c]}\n");
  REQUIRE(config.launches.size() == 2);
  CHECK(config.launches[0].name == "Pod/a/big");
  CHECK(config.launches[1].name == "Pod/a/small");
}

TEST_CASE("Labels and instance types tell the GPU", "[serving]") {
  const auto [label, name, gpu] = GENERATE(table<std::string, std::string, std::string>({
      {"nvidia.com/gpu.product", "Tesla-T4", "T4"},
      {"nvidia.com/gpu.product", "NVIDIA-A100-SXM4-40GB", "A100-SXM-40GB"},
      {"nvidia.com/gpu.product", "NVIDIA-L4-SHARED", "L4"},
      {"nvidia.com/gpu.product", "NVIDIA-Something-New", "NVIDIA-Something-New"},
      {"cloud.google.com/gke-accelerator", "nvidia-h100-80gb", "H100-SXM5-80GB"},
      {"cloud.google.com/gke-accelerator", "nvidia-tesla-a100", "A100-SXM-40GB"},
      {"node.kubernetes.io/instance-type", "p5.48xlarge", "H100-SXM5-80GB"},
      {"node.kubernetes.io/instance-type", "p5en.48xlarge", "H200-SXM-141GB"},
      {"node.kubernetes.io/instance-type", "p4de.24xlarge", "A100-SXM-80GB"},
      {"node.kubernetes.io/instance-type", "g6.xlarge", "L4"},
      {"node.kubernetes.io/instance-type", "g6e.xlarge", "L40S"},
      {"node.kubernetes.io/instance-type", "g5.12xlarge", "A10G"},
      {"node.kubernetes.io/instance-type", "a3-highgpu-8g", "H100-SXM5-80GB"},
      {"node.kubernetes.io/instance-type", "Standard_ND96isr_H100_v5", "H100-SXM5-80GB"},
      {"node.kubernetes.io/instance-type", "m5.large", ""},
  }));
  CAPTURE(label, name);
  CHECK(is_gpu_label(label));
  CHECK(gpu_of_label(label, name) == gpu);
}

TEST_CASE("Required node affinity tells the GPU and a slice is no whole one", "[serving]") {
  const Launch affinity = launch_of(R"(kind: Pod
metadata: {name: a}
spec:
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions:
          - {key: node.kubernetes.io/instance-type, operator: In, values: [g6.xlarge]}
  containers: [{image: vllm/vllm-openai, args: [--model, a/b]}]
)");
  CHECK(around(affinity, "gpu") == "L4");
  const Launch slice = launch_of(R"(kind: Pod
metadata: {name: a}
spec:
  nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}
  containers:
  - {image: vllm/vllm-openai, args: [--model, a/b], resources: {limits: {nvidia.com/mig-1g.10gb: 1}}}
)");
  CHECK(around(slice, "gpu") == "nvidia.com/mig-1g.10gb");
  CHECK(around(slice, "gpus") == "1");
}
