// Kernels written in Rust: what cannot be read of them. Errors of the chip's rules have their own pages; they point into the Rust source as well.
#include <deque>
#include <string>

#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rust/crate.hpp"

using namespace tcp;

// What is refused of kernels in Rust: the first error of the first kernel that has one.
inline tcp::Verdict checked_rust(const std::string& text, tcp::rust::Edition edition = {}) {
  static std::deque<tcp::rust::Crate> kept;  // refusals point at the names of their files
  const tcp::rust::Crate& crate = kept.emplace_back(tcp::rust::Crate::of_text("kernels.rs", text, edition));
  if (!crate.errors().empty()) return crate.errors()[0].refusal;
  for (const tcp::rust::Kernel& kernel : crate.kernels())
    if (auto const reading = crate.read(kernel, tcp::rngd); !reading.errors.empty()) return reading.errors[0].refusal;
  return tcp::accept();
}
inline tcp::Refusal refused_rust(const std::string& text, tcp::rust::Edition edition = {}) { return checked_rust(text, edition).refusal(); }

/// A kernel with this body, over x of 2048 i32, in DM as `dm`.
inline std::string rust_kernel(const std::string& body) {
  return R"(axes![A = 2048];
type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![A / 8];
type Dm = DmTensor<i32, Chip, Cluster, Slice, m![A % 8]>;
#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A]>) -> HbmTensor<i32, Chip, m![A]> {
  let dm: Dm = x.to_dm(&mut ctx.tdma);
)" + body +
         "\n}\n";
}

// # rust-arguments
// A call is given other types or arguments than it takes. The help shows the form of the call; a type argument that follows from the others is written `_`.
// run time only: kernels in Rust are read when the tool runs
namespace rust_arguments {
constexpr const char* before = R"(  dm.view().tile::<m![A % 8]>(0).to_hbm(&mut ctx.tdma))";
constexpr const char* after = R"(  dm.to_hbm(&mut ctx.tdma))";
// error[rust-arguments]: `tile`: it takes the factor, the number of steps, and what is left of Element or `_`; help: write .tile::<m![factor], N, _>(start)
REFUSED_AT_RUN_TIME { return refused_rust(rust_kernel(before)); }
ACCEPTED_AT_RUN_TIME { return checked_rust(rust_kernel(after)); }
}  // namespace rust_arguments

// # rust-assert
// An `assert!` of the kernel does not hold, or it comes to a `panic!`. Both are decided when the kernel is read, since all its numbers are known then.
// run time only: kernels in Rust are read when the tool runs
namespace rust_assert {
constexpr const char* before = R"(  assert_eq!(Slice::SIZE, 128);
  dm.to_hbm(&mut ctx.tdma))";
constexpr const char* after = R"(  assert_eq!(Slice::SIZE, 256);
  dm.to_hbm(&mut ctx.tdma))";
// error[rust-assert]: an assertion of the kernel does not hold: 256 and 128; help: look at the numbers it compares
REFUSED_AT_RUN_TIME { return refused_rust(rust_kernel(before)); }
ACCEPTED_AT_RUN_TIME { return checked_rust(rust_kernel(after)); }
}  // namespace rust_assert

// # rust-duplicate
// Two items of a module, two axes or two parameters of a function have one name. Rust refuses that, and which of them is meant is not known. Items under `#[cfg]` are
// left out of the account: of two such, one is for another machine.
// run time only: kernels in Rust are read when the tool runs
namespace rust_duplicate {
constexpr const char* before = R"(  axes![C = 4, C = 8];
  dm.to_hbm(&mut ctx.tdma))";
constexpr const char* after = R"(  axes![C = 4, D = 8];
  dm.to_hbm(&mut ctx.tdma))";
// error[rust-duplicate]: the axis `C` is declared twice; help: give one of them another name, or take it out
REFUSED_AT_RUN_TIME { return refused_rust(rust_kernel(before)); }
ACCEPTED_AT_RUN_TIME { return checked_rust(rust_kernel(after)); }
}  // namespace rust_duplicate

// # rust-edition
// The vendor's crate changed names between editions, and Cargo.toml says which edition a crate is written for. Without a Cargo.toml the names of all editions are
// taken. The page *Coming from the vendor's toolchain* lists them.
// run time only: kernels in Rust are read when the tool runs
namespace rust_edition {
constexpr const char* before =
    R"(  let y: Dm = ctx.main.begin(dm.view()).fetch::<m![1], m![A % 8]>().collect::<m![1], m![A % 8]>()
    .vector_init().vector_intra_slice_branch(BranchMode::Unconditional).vector_fxp(FxpBinaryOp::AddFxp, 1).vector_final().commit();
  y.to_hbm(&mut ctx.tdma))";
constexpr const char* after =
    R"(  let y: Dm = ctx.main.begin(dm.view()).fetch::<m![1], m![A % 8]>().collect::<m![1], m![A % 8]>()
    .vector_init().vector_intra_slice_tag(TagMode::Zero).vector_fxp(FxpBinaryOp::AddFxp, 1).vector_final().commit();
  y.to_hbm(&mut ctx.tdma))";
// error[rust-edition]: edition 0.5 has no `vector_intra_slice_branch`; help: `vector_intra_slice_branch` is `vector_intra_slice_tag` since 0.2: vector_intra_slice_tag(TagMode::Zero)
REFUSED_AT_RUN_TIME { return refused_rust(rust_kernel(before), 5); }
ACCEPTED_AT_RUN_TIME { return checked_rust(rust_kernel(after), 5); }
}  // namespace rust_edition

// # rust-file
// A crate is read from its files: the one that is given, the root that Cargo.toml names, and those of its modules. `mod ops;` is the file `ops.rs` or `ops/mod.rs`
// beside the file that declares it.
// run time only: kernels in Rust are read when the tool runs
// no kernel: a file that is not there has no kernel
namespace rust_file {
// error[rust-file]: the folder 'files' has no Cargo.toml, lib.rs or main.rs; help: give the folder of a crate, its Cargo.toml, or one .rs file
REFUSED_AT_RUN_TIME { return rust::Crate::open(TCP_SOURCE_DIR "/tests/refuse/files").refusal(); }
// error[rust-file]: the module missing has no file: missing.rs is not there; help: add the file, or take the line out
REFUSED_AT_RUN_TIME { return refused_rust("mod missing;"); }
}  // namespace rust_file

// # rust-macro
// A call of a macro has none of the forms that its rules have, or macros call each other without end. Rules are tried in their order; `$x:expr` takes one whole
// expression.
// run time only: kernels in Rust are read when the tool runs
namespace rust_macro {
constexpr const char* before = R"(  macro_rules! twice { ($x:literal) => { $x + $x } }
  let n = twice!(1 + 2);
  dm.to_hbm(&mut ctx.tdma))";
constexpr const char* after = R"(  macro_rules! twice { ($x:expr) => { $x + $x } }
  let n = twice!(1 + 2);
  dm.to_hbm(&mut ctx.tdma))";
// error[rust-macro]: no rule of the macro `twice!` has this form; help: write twice!($x:literal)
REFUSED_AT_RUN_TIME { return refused_rust(rust_kernel(before)); }
ACCEPTED_AT_RUN_TIME { return checked_rust(rust_kernel(after)); }
}  // namespace rust_macro

// # rust-not-constant
// A kernel is one recording: which way it takes through an `if`, how often a loop runs and where a tile begins is known when it is read. Constants, loop indices and
// scalars of the launch (`HbmScalar<T>`, `usize`, set with `--set`) are known; what a tensor holds is not.
// run time only: kernels in Rust are read when the tool runs
namespace rust_not_constant {
constexpr const char* before = R"(  if x { dm.view(); }
  dm.to_hbm(&mut ctx.tdma))";
constexpr const char* after = R"(  if Slice::SIZE > 1 { dm.view(); }
  dm.to_hbm(&mut ctx.tdma))";
// error[rust-not-constant]: a condition is a bool that is known when the kernel is recorded, and this is a tensor in HBM; help: decide by a constant, a loop index or a scalar of the launch
REFUSED_AT_RUN_TIME { return refused_rust(rust_kernel(before)); }
ACCEPTED_AT_RUN_TIME { return checked_rust(rust_kernel(after)); }
}  // namespace rust_not_constant

// # rust-number
// A number leaves its type, a divisor is zero, or an index is outside of its array. A Rust program would stop there.
// run time only: kernels in Rust are read when the tool runs
namespace rust_number {
constexpr const char* before = R"(  let steps = [1usize, 2];
  let n = steps[0] - steps[1];
  dm.to_hbm(&mut ctx.tdma))";
constexpr const char* after = R"(  let steps = [1usize, 2];
  let n = steps[1] - steps[0];
  dm.to_hbm(&mut ctx.tdma))";
// error[rust-number]: the result of `-` is not a number of its type; help: use a wider type, or other numbers
REFUSED_AT_RUN_TIME { return refused_rust(rust_kernel(before)); }
ACCEPTED_AT_RUN_TIME { return checked_rust(rust_kernel(after)); }
}  // namespace rust_number

// # rust-syntax
// The text does not read as Rust. In a file with host code only what kernels need is read closely: the body of a function that no kernel calls may be anything whose
// brackets match.
// run time only: kernels in Rust are read when the tool runs
namespace rust_syntax {
constexpr const char* before = R"(  let y = dm.to_hbm::<m![A]>(&mut ctx.tdma)
  y)";
constexpr const char* after = R"(  let y = dm.to_hbm::<m![A]>(&mut ctx.tdma);
  y)";
// error[rust-syntax]: a `;` is missing after this; help: end the statement with `;`
REFUSED_AT_RUN_TIME { return refused_rust(rust_kernel(before)); }
ACCEPTED_AT_RUN_TIME { return checked_rust(rust_kernel(after)); }
}  // namespace rust_syntax

// # rust-too-deep
// The text nests deeper, a function calls itself more often, or a loop counts further than a kernel does. Loops are unrolled when a kernel is read.
// run time only: kernels in Rust are read when the tool runs
namespace rust_too_deep {
constexpr const char* before = R"(  const N: usize = N / 2;
  let n = N;
  dm.to_hbm(&mut ctx.tdma))";
constexpr const char* after = R"(  const N: usize = Slice::SIZE / 2;
  let n = N;
  dm.to_hbm(&mut ctx.tdma))";
// error[rust-too-deep]: `N` is declared by itself; help: name what is meant
REFUSED_AT_RUN_TIME { return refused_rust(rust_kernel(before)); }
ACCEPTED_AT_RUN_TIME { return checked_rust(rust_kernel(after)); }
}  // namespace rust_too_deep

// # rust-type-mismatch
// Types are mappings, and a value has another one than is declared for it: another level, another scalar, another memory. `rustc` compares types as they are
// written; here two spellings of one mapping are the same type.
// run time only: kernels in Rust are read when the tool runs
namespace rust_type_mismatch {
constexpr const char* before = R"(  let wide: DmTensor<i32, Chip, Cluster, m![A / 16 # 256], m![A % 16]> = dm;
  wide.to_hbm(&mut ctx.tdma))";
constexpr const char* after = R"(  let wide: DmTensor<i32, Chip, Cluster, m![A / 16 # 256], m![A % 16]> = dm.to_dm(&mut ctx.tdma);
  wide.to_hbm(&mut ctx.tdma))";
// error[rust-type-mismatch]: Slice is m![A / 8], and the type says m![A / 16 # 256]; help: correct the type, or move the value into that layout
REFUSED_AT_RUN_TIME { return refused_rust(rust_kernel(before)); }
ACCEPTED_AT_RUN_TIME { return checked_rust(rust_kernel(after)); }
}  // namespace rust_type_mismatch

// # rust-type-needed
// Nothing says which mappings a tensor has: neither the call, nor the variable's type, nor the function that it is passed to. A type that is said where the value is
// used first is enough.
// run time only: kernels in Rust are read when the tool runs
namespace rust_type_needed {
constexpr const char* before = R"(  let again = dm.to_dm(&mut ctx.tdma);
  again.view().to_hbm(&mut ctx.tdma))";
constexpr const char* after = R"(  let again: Dm = dm.to_dm(&mut ctx.tdma);
  again.view().to_hbm(&mut ctx.tdma))";
// error[rust-type-needed]: nothing says which mappings this tensor has before `view` is called on it; help: give it a type: let x: DmTensor<D, Chip, Cluster, Slice, Element> = ...
REFUSED_AT_RUN_TIME { return refused_rust(rust_kernel(before)); }
ACCEPTED_AT_RUN_TIME { return checked_rust(rust_kernel(after)); }
}  // namespace rust_type_needed

// # rust-unknown-method
// Tensors, streams and contexts have the methods of all editions of the vendor's crate; this is none of them. The help has the nearest one, or says what it is a
// method of.
// run time only: kernels in Rust are read when the tool runs
namespace rust_unknown_method {
constexpr const char* before = R"(  dm.to_hmb(&mut ctx.tdma))";
constexpr const char* after = R"(  dm.to_hbm(&mut ctx.tdma))";
// error[rust-unknown-method]: a tensor in DM has no method `to_hmb`; help: did you mean `to_hbm::<Element>(&mut ctx.tdma)`?
REFUSED_AT_RUN_TIME { return refused_rust(rust_kernel(before)); }
ACCEPTED_AT_RUN_TIME { return checked_rust(rust_kernel(after)); }
}  // namespace rust_unknown_method

// # rust-unknown-name
// A type, constant, function or variable is declared in none of the files that were read, and is none of the vendor's. A single file of a crate is read with the
// crate around it if it has a Cargo.toml above it; otherwise give the folder of the crate.
// run time only: kernels in Rust are read when the tool runs
namespace rust_unknown_name {
constexpr const char* before = R"(  let y: Dn = x.to_dm(&mut ctx.tdma);
  y.to_hbm(&mut ctx.tdma))";
constexpr const char* after = R"(  let y: Dm = x.to_dm(&mut ctx.tdma);
  y.to_hbm(&mut ctx.tdma))";
// error[rust-unknown-name]: the type `Dn` is not known here; help: did you mean `Dm`?
REFUSED_AT_RUN_TIME { return refused_rust(rust_kernel(before)); }
ACCEPTED_AT_RUN_TIME { return checked_rust(rust_kernel(after)); }
}  // namespace rust_unknown_name

// # rust-unsupported
// A construct that kernels do not use, such as `async`, one whose meaning would be lost, such as `iter_mut`, or a call for which there is nothing here yet. Host code may
// have all of them: it is not read.
// run time only: kernels in Rust are read when the tool runs
namespace rust_unsupported {
constexpr const char* before = R"(  let mut all = [1, 2];
  for n in all.iter_mut() { *n += 1; }
  dm.to_hbm(&mut ctx.tdma))";
constexpr const char* after = R"(  let mut all = [1, 2];
  for i in 0..all.len() { all[i] += 1; }
  dm.to_hbm(&mut ctx.tdma))";
// error[rust-unsupported]: `iter_mut` is not read; help: count with an index: for i in 0..a.len() { a[i] = ... }
REFUSED_AT_RUN_TIME { return refused_rust(rust_kernel(before)); }
ACCEPTED_AT_RUN_TIME { return checked_rust(rust_kernel(after)); }
}  // namespace rust_unsupported
