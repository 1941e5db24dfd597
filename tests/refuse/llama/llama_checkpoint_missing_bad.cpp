// A model is a folder: `config.json`, and the weights in `model.safetensors`, or in several files that `model.safetensors.index.json` lists. This folder has no weights
// of that form. Checkpoints in PyTorch's own form (`*.bin`, `*.pth`) run code when they are read, and are not read here; most are published as safetensors, too.
//
// run time only: files are values
#include "kernels/llama/checkpoint.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return kernels::Checkpoint::open("/no/such/model", kernels::llama_3_8b()).refusal(); }
