// The random corpus: every program is made from its seed, verified, run by every executor, and compared with the oracle, bit for bit.
//
//   agree_corpus --seed 1 --count 2000             the corpus; the seed of the first program, and how many
//   agree_corpus --new-seeds --count 2000          other programs in every run; the first seed is printed
//   agree_corpus --seed 4711 --count 1             one program again, after a difference
//   agree_corpus --program FILE                    a program in the text form, with arguments from the seed
//   agree_corpus ... --report                      what was reached, refused and compared
//   agree_corpus ... --coverage-to FILE            the same for the next line
//   mpirun -n 4 agree_corpus --seed 1 --count 2000 the same programs, every fourth in each process
//   agree_corpus --check-coverage FILE FILE ...    fails if the corpus as a whole has not reached something, or too much of it was refused
//
// The text form must bring every program back, too. A program that the verifier refuses is counted by its code. A program whose results depend on undefined values must be refused by every executor, and is
// then compared where they do not.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>
#include <string_view>

#include "coverage.hpp"
#include "executor.hpp"
#include "generator.hpp"
#include "oracle.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/support/bug.hpp"
#include "tcp/support/render.hpp"

namespace tcp::agree {
namespace {

struct Asked {
  std::uint64_t seed = 1, count = 100;
  bool report = false, print = false, new_seeds = false;
  std::string coverage_to, program;
  std::vector<std::string> check;
};

/// The first element in which a run differs from what was expected, in words; none: they agree.
struct Difference {
  std::string says;
  std::size_t result = 0;
  Index element{};

  explicit operator bool() const { return !says.empty(); }
};
Difference difference(const std::vector<LiveIndices>& live, const Ran& wanted, const Ran& got) {
  Difference found;
  if (wanted.refused != got.refused) {
    found.says = "refused as '" + got.refused + "', expected '" + wanted.refused + "'" + (got.says.empty() ? "" : ": " + got.says);
    return found;
  }
  for (std::size_t r = 0; r < got.results.size(); ++r) {
    const Numbers &want = wanted.results[r], &have = got.results[r];
    for (std::size_t l = 0; l < live[r].size(); ++l) {
      Index const index = live[r][l];
      std::size_t const i = want.offset(index);
      if (!want.defined(i)) continue;
      bool const there = have.holds(index);
      std::uint32_t const bits = there ? have.bits[have.offset(index)] : 0;
      if (there && bits == want.bits[i]) continue;
      Text where;
      where << index;
      std::ostringstream line;
      line << "result " << r << " (" << scalar_info(want.type).name << ") at " << where.view() << " is ";
      if (there) line << "0x" << std::hex << bits;
      else line << "not there";
      line << ", expected 0x" << std::hex << want.bits[i];
      return {line.str(), r, index};
    }
  }
  return found;
}

bool any_undefined(const std::vector<LiveIndices>& live, const Ran& ran) {
  for (std::size_t r = 0; r < ran.results.size(); ++r)
    for (std::size_t l = 0; l < live[r].size(); ++l)
      if (!ran.results[r].defined(ran.results[r].offset(live[r][l]))) return true;
  return false;
}

bool names_padding(const ir::Module& m) {
  for (const ir::Tensor& t : m.tensors) {
    if (!t.view || t.view->kind != ir::ViewOf::Kind::relabel) continue;
    Levels const was = m.levels(m.tensor(t.view->tensor)), is = m.levels(t);
    for (int l = 0; l < level_count; ++l)
      for (std::int64_t p = 0; p < is.at[l].size; ++p)
        if (cell(is.at[l], p).live() && !cell(was.at[l], p).live()) return true;
  }
  return false;
}

/// Runs one program everywhere. Empty if all agree. What it does counts as reached only if it was lowered and ran on the simulated chip.
std::string compare(const Task& task, Coverage& coverage) {
  const Program& program = task.program;
  bool lowered = true;
  Ran const wanted = expected(program.module, program.arguments);
  std::vector<LiveIndices> live;
  for (ir::TensorId id : program.module.results) live.emplace_back(program.module, id);
  bool const undefined = wanted.refused.empty() && any_undefined(live, wanted);
  coverage.outcome(!wanted.refused.empty() ? wanted.refused : undefined ? "partly undefined" : "defined");
  static std::vector<std::unique_ptr<Executor>> const all = executors();
  for (const auto& executor : all) {
    if (!executor->wants(program)) continue;
    Ran checked = wanted;
    if (undefined) {
      checked.refused = "exec-undefined-result";
      checked.results.clear();
    }
    Ran const ran = executor->run(task, true);
    if (!ran.limit.empty()) {
      coverage.outcome("not lowered: " + ran.limit);
      lowered = false;
      continue;
    }
    bool const finds_bytes = undefined && !executor->knows_names() && ran.refused.empty() && names_padding(program.module);
    Difference found = finds_bytes ? difference(live, wanted, ran) : difference(live, checked, ran);
    if (!found && undefined) found = difference(live, wanted, executor->run(task, false));
    if (found) return std::string(executor->name()) + ": " + found.says + '\n' + executor->explain(program, found.result, found.element);
  }
  if (lowered) {
    coverage.outcome("on the machine");
    coverage.note(program, task.verified.facts());
  }
  return {};
}

/// Empty if the text form keeps the program as it is.
std::string round_trip(const Program& program) {
  std::string const text = ir::print(program.module);
  auto const again = ir::parse(text, "corpus");
  if (!again) return "its text is refused: " + std::string(again.refusal().sentence().view());
  return ir::same_program(*again, program.module) ? "" : "its text is another program";
}

/// True if the program was refused, or everybody agrees about it.
bool tried(const Program& program, const Asked& asked, Coverage& coverage) {
  std::string says;
  try {
    if (asked.print) std::cout << ir::print(program.module) << std::flush;
    auto const verified = ir::verify(program.module, *program.device);
    if (!verified) {
      coverage.refused(program.family, verified.refusal().code);
      if (asked.count == 1) std::cout << render(verified.refusal()) << '\n';
      return true;
    }
    coverage.ran(program.family);
    std::int64_t live = 0;
    for (ir::TensorId id : program.module.arguments) live += live_elements(program.module, id);
    coverage.size(live);
    Task const task(program, *verified);
    says = compare(task, coverage);
    if (says.empty()) says = round_trip(program);
    if (says.empty()) says = encoding_fault(task);
  } catch (const Bug& bug) {
    says = std::string("a Bug: ") + bug.what();
  }
  if (says.empty()) return true;
  std::cout << "seed " << program.seed << " (" << program.family << "): " << says << "\n  again: agree_corpus --seed " << program.seed
            << (asked.program.empty() ? " --count 1 --print\n" : " --program " + asked.program + '\n');
  if (asked.count == 1 && !asked.print) std::cout << ir::print(program.module);
  return false;
}

void report(const Coverage& coverage) {
  coverage.write(std::cout);
  for (const std::string& what : coverage.missing()) std::cout << "not reached: " << what << '\n';
}

int check_coverage(const Asked& asked) {
  Coverage all;
  for (const std::string& name : asked.check) {
    std::ifstream in(name);
    if (!in) {
      std::cout << "cannot read " << name << '\n';
      return EXIT_FAILURE;
    }
    all.read(in);
  }
  if (asked.report) report(all);
  bool good = true;
  for (const std::string& what : all.missing()) {
    std::cout << "the corpus does not reach: " << what << '\n';
    good = false;
  }
  std::int64_t accepted = 0, refused = 0;
  for (const char* family : {"moves", "rows", "chips", "views", "vector", "contraction", "convolution", "mapped"}) {
    std::int64_t const yes = all.of(std::string("accepted ") + family), no = all.of(std::string("refused ") + family);
    accepted += yes;
    refused += no;
    if (yes * 10 >= (yes + no) * 6) continue;
    std::cout << "of the family " << family << " only " << yes << " of " << yes + no << " programs are accepted\n";
    good = false;
  }
  std::int64_t const small = all.of("live elements at most 4096"), large = all.of("live elements above 4096");
  if (small * 100 < (small + large) * 95) {
    std::cout << large << " of " << small + large << " programs have more than 4096 live elements\n";
    good = false;
  }
  std::int64_t const on_the_machine = all.of("outcome on the machine");
  if (on_the_machine * 100 < accepted * 95) {
    std::cout << "only " << on_the_machine << " of " << accepted << " programs are lowered and run on the simulated chip\n";
    good = false;
  }
  std::cout << accepted << " programs accepted, " << refused << " refused, " << on_the_machine << " run on the simulated chip, "
            << all.of("outcome defined") << " compared in all elements\n";
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

/// What mpirun says of this process: its number, or how many there are.
std::uint64_t rank_of_mpirun(const char* which, std::uint64_t otherwise) {
  const char* const said = std::getenv(which);
  return said == nullptr ? otherwise : std::strtoull(said, nullptr, 10);
}

int run(const Asked& asked) {
  if (asked.new_seeds)
    std::cout << "new seeds; the same again: agree_corpus --seed " << asked.seed << " --count " << asked.count << std::endl;
  Coverage coverage;
  std::uint64_t wrong = 0;
  for (std::uint64_t i = rank_of_mpirun("OMPI_COMM_WORLD_RANK", 0), step = rank_of_mpirun("OMPI_COMM_WORLD_SIZE", 1);
       i < asked.count && wrong < 10; i += step)
    wrong += tried(generate(asked.seed + i), asked, coverage) ? 0 : 1;
  if (asked.report) report(coverage);
  if (!asked.coverage_to.empty()) {
    std::ofstream out(asked.coverage_to);
    coverage.write(out);
  }
  std::cout << asked.count << " programs from seed " << asked.seed << ", " << wrong << " differ\n";
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/// A program that was written down must be accepted and lowered, and all executors must agree.
int run_text(const Asked& asked) {
  std::ifstream in(asked.program);
  std::stringstream text;
  text << in.rdbuf();
  auto const program = from_text(text.str(), asked.program, asked.seed);
  if (!in || !program) {
    std::cout << (in ? render(program.refusal()) : "cannot read " + asked.program) << '\n';
    return EXIT_FAILURE;
  }
  Coverage coverage;
  if (!tried(*program, asked, coverage)) return EXIT_FAILURE;
  std::ostringstream reached;
  coverage.write(reached);
  bool const good = coverage.of("outcome defined") == 1 && reached.str().find("not lowered") == std::string::npos;
  if (!good) std::cout << asked.program << " is refused, or not lowered, or has results that cannot be compared:\n" << reached.str();
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

/// The fixed seeds are small numbers.
std::uint64_t new_seed() {
  std::random_device chance;
  std::uint64_t const some = std::uint64_t{chance()} << 32 | chance();
  return 1'000'000'000 + some % 1'000'000'000'000;
}

Asked asked_for(int count, char** words) {
  Asked a;
  for (int i = 1; i < count; ++i) {
    std::string_view const word = words[i];
    bool const more = i + 1 < count;
    if (word == "--seed" && more) a.seed = std::strtoull(words[++i], nullptr, 10);
    else if (word == "--count" && more) a.count = std::strtoull(words[++i], nullptr, 10);
    else if (word == "--coverage-to" && more) a.coverage_to = words[++i];
    else if (word == "--program" && more) a.program = words[++i];
    else if (word == "--new-seeds") a.seed = new_seed(), a.new_seeds = true;
    else if (word == "--report") a.report = true;
    else if (word == "--print") a.print = true;
    else if (word == "--check-coverage")
      while (i + 1 < count && words[i + 1][0] != '-') a.check.emplace_back(words[++i]);
    else std::cout << "unknown: " << word << '\n';
  }
  return a;
}

}  // namespace
}  // namespace tcp::agree

int main(int count, char** words) {
  tcp::agree::Asked const asked = tcp::agree::asked_for(count, words);
  if (!asked.program.empty()) return tcp::agree::run_text(asked);
  return asked.check.empty() ? tcp::agree::run(asked) : tcp::agree::check_coverage(asked);
}
