// The text form of a module: what the reader cannot read.
#include "helpers/asked.hpp"
#include "refuse_test.hpp"
#include "tcp/ir/text.hpp"

using namespace tcp;
using namespace tcp_refuse;

// # ir-text-character
// Outside of comments the text form is plain ASCII: letters that look alike would make names that look alike. A quoted name may hold any byte as `\xHH`.
// run time only: a text is read when a program runs
namespace ir_text_character {
constexpr const char* before = R"(
axes A = 8
dm ténseur: i32 Cluster[1 # 2] Slice[1 # 256] Element[A] at 0
)";
constexpr const char* after = R"(
axes A = 8
dm tensor: i32 Cluster[1 # 2] Slice[1 # 256] Element[A] at 0
)";
// error[ir-text-character]: found the byte 195, which is not a character of the text form; help: take it out, or write it in a quoted name as \xHH
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_text_character

// # ir-text-declared-twice
// A name stands for one tensor, one table, one region or one axis. Tensors that share a name in C++ are told apart by a number after a percent sign, which is no
// part of the name. An axis that has another size in one mapping says so there: `[A / 2 where A = 8]`.
// run time only: a text is read when a program runs
namespace ir_text_declared_twice {
constexpr const char* before = R"(
axes A = 8
dm x: i32 Element[A]
dm x: f32 Element[A]
)";
constexpr const char* after = R"(
axes A = 8
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[A]
dm y: f32 Cluster[1 # 2] Slice[1 # 256] Element[A]
)";
// error[ir-text-declared-twice]: there is a tensor x already; help: give it another name, or tell the two apart by a number: x%2
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_text_declared_twice

// # ir-text-escape
// In a quoted name a backslash comes before a quote, before another backslash, or before `x` and the two hexadecimal digits of a byte.
// run time only: a text is read when a program runs
namespace ir_text_escape {
constexpr const char* before = R"(
module "C:\\kernels\add"
axes A = 8
)";
constexpr const char* after = R"(
module "C:\\kernels\\add"
axes A = 8
)";
// error[ir-text-escape]: '\add' in a quoted name means nothing; help: write \\ for a backslash
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_text_escape

// # ir-text-given-twice
// Each level, each attribute and each named argument is given once; the second could only contradict the first.
// run time only: a text is read when a program runs
namespace ir_text_given_twice {
constexpr const char* before = R"(
axes A = 8
dm x: i32 Slice[A] Slice[A / 2]
)";
constexpr const char* after = R"(
axes A = 8
dm x: i32 Cluster[1 # 2] Slice[A # 256]
)";
// error[ir-text-given-twice]: Slice is given twice; help: leave one out
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_text_given_twice

// # ir-text-line-too-long
// The text form is for people. A line of a million characters is a file of another kind, or one that has lost its line ends; every blank may be a line end.
// run time only: a text is read when a program runs
// no kernel: a page has no room for it
namespace ir_text_line_too_long {
// error[ir-text-line-too-long]: a line is longer than 1048576 characters; help: break the line: every blank may be a line end
REFUSED_AT_RUN_TIME { return ir::parse(std::string(2 << 20, ' '), "bad.tcp").refusal(); }
}  // namespace ir_text_line_too_long

// # ir-text-number
// A number is kept exactly as it is written, so one that does not fit is refused and not cut: addresses and sizes have 64 bits, execution ids run from 0 to 15, slices from
// 0 to 255, the bits of a value are 32. Values of the small float types are written by their bits.
// run time only: a text is read when a program runs
namespace ir_text_number {
constexpr const char* before = R"(
dm x: i32 Cluster[1 # 2] Slice[1 # 256] at 0
memset x = 4294967296
)";
constexpr const char* after = R"(
dm x: i32 Cluster[1 # 2] Slice[1 # 256] at 0
memset x = 0xffffffff
)";
// error[ir-text-number]: 4294967296 is not between 0 and 4294967295; help: write a number that fits; the bits of any value can be given in hexadecimal
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_text_number

// # ir-text-open-mapping
// A mapping is written between brackets, and so are the groups inside it. One bracket too few makes the rest of the text part of the mapping.
// run time only: a text is read when a program runs
namespace ir_text_open_mapping {
constexpr const char* before = R"(
axes A = 8, B = 4
dm x: i32 Element[[A, B # 8]
memset x = 0
)";
constexpr const char* after = R"(
axes A = 8, B = 4
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[A, B # 8]
memset x = 0
)";
// error[ir-text-open-mapping]: a mapping begins here and has no ]; help: close it: Slice[A / 8 # 256]
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_text_open_mapping

// # ir-text-open-string
// A quoted name ends in the line in which it begins. Otherwise a forgotten quote would swallow the text up to the next one, and the error would point there.
// run time only: a text is read when a program runs
namespace ir_text_open_string {
constexpr const char* before = R"(
module "add one
axes A = 8
)";
constexpr const char* after = R"(
module "add one"
axes A = 8
)";
// error[ir-text-open-string]: a quoted name begins here and does not end in its line; help: end it with ", and write a line end in it as \x0a
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_text_open_string

// # ir-text-syntax
// The text form has few rules, and this place follows none of them. The sentence says what is needed and what is there instead;
// [the grammar](../text-form.md) shows the whole.
// run time only: a text is read when a program runs
namespace ir_text_syntax {
constexpr const char* before = R"(
axes A = 8
dm x i32 Element[A]
)";
constexpr const char* after = R"(
axes A = 8
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[A]
)";
// error[ir-text-syntax]: a tensor says its type: dm x: i32 Slice[A / 8] Element[A % 8]; found 'i32'; help: see docs/text-form.md for the grammar, or print a module that is near to what you mean
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_text_syntax

// # ir-text-unknown-name
// Tensors, tables, regions and axes are declared before they are used, so that a misspelt name is noticed where it is.
// run time only: a text is read when a program runs
namespace ir_text_unknown_name {
constexpr const char* before = R"(
axes Heads = 8
dm weights: i32 Cluster[1 # 2] Slice[1 # 256] Element[Heads]
memset wieghts = 0
)";
constexpr const char* after = R"(
axes Heads = 8
dm weights: i32 Cluster[1 # 2] Slice[1 # 256] Element[Heads]
memset weights = 0
)";
// error[ir-text-unknown-name]: there is no tensor wieghts; help: did you mean weights?
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_text_unknown_name

// # ir-text-unknown-word
// Memories, stages, operations and the names of arguments are words of the text form, and each place knows only its own.
// run time only: a text is read when a program runs
namespace ir_text_unknown_word {
constexpr const char* before = R"(
axes A = 8
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[A]
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[A]
main.begin(x)
  .fetch i32 Time[1] Packet[A]
  .colect
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 8
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[A]
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[A]
main.begin(x)
  .fetch i32 Time[1] Packet[A]
  .collect
  .commit(y)
)";
// error[ir-text-unknown-word]: a stage is needed; 'colect' is none; help: did you mean collect?
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_text_unknown_word
