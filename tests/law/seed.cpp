// The same random cases on every machine, so that a red test stays red while it is mended. RC_PARAMS in the environment overrides this:
//   RC_PARAMS="seed=2 max_success=1000" build/dev/bin/law_mapping
#include <cstdlib>

namespace {

const int fixed_seed = setenv("RC_PARAMS", "seed=20240817" TCP_LAW_CASES, 0);

}  // namespace
