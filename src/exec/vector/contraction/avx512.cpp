// The inner loops that compilers do not get right, in assembly: every register has its place.
//
// The tree of f32 products: a tile of 4 rows and 32 columns is 8 registers wide. Of each level of the tree the left
// partial sum waits for the right one: the first R levels wait in registers (8 of them a level), the others in a stack
// slot. With the products fused three levels fit beside the operands, without two. The accumulators stay in memory, in
// the first-level cache: they are touched once a step.
//
// Arguments: rdi steps, rsi a [k][4], rdx b [k][32], rcx accumulators [4][32].
#include "exec/vector/contraction/panels.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__)) && !defined(_WIN32)

#include <hwy/targets.h>

#include "exec/vector/kernels/target.hpp"

// Macros of the assembler. Register numbers: partial sum of level l in tile t is 8 (l - 1) + t; then two of b for each
// of two k, two of a, and temporaries.
asm(R"(
.altmacro

.macro tcp_add_registers left, right, to
  vaddps %zmm\right, %zmm\left, %zmm\to
.endm
.macro tcp_add_slot slot, right, to
  vaddps \slot*64(%rsp), %zmm\right, %zmm\to
.endm
.macro tcp_keep_slot slot, from
  vmovaps %zmm\from, \slot*64(%rsp)
.endm
.macro tcp_accumulate tile, from
  vaddps \tile*64(%rcx), %zmm\from, %zmm\from
  vmovaps %zmm\from, \tile*64(%rcx)
.endm

# Joins the sum of pair `pair` (counted at this level) with its left neighbour, and so on upwards, until it is a left one itself or the root.
.macro tcp_climb sum, tile, pair, level, depth, kept
  .if ((\pair) & 1) && (\level < \depth)
    .if ((((\pair) >> 1) & 1) == 0) && (\level + 1 < \depth) && (\level + 1 <= \kept)
      tcp_climb_into \sum, \tile, %((\pair) >> 1), \level, \depth, \kept, %(8 * \level + \tile)
    .else
      tcp_climb_into \sum, \tile, %((\pair) >> 1), \level, \depth, \kept, \sum
    .endif
  .elseif \level == \depth
    tcp_accumulate \tile, \sum
  .elseif \level > \kept
    tcp_keep_slot %(8 * (\level - 1 - \kept) + \tile), \sum
  .endif
.endm
.macro tcp_climb_into sum, tile, above, level, depth, kept, to
  .if \level <= \kept
    tcp_add_registers %(8 * (\level - 1) + \tile), \sum, \to
  .else
    tcp_add_slot %(8 * (\level - 1 - \kept) + \tile), \sum, \to
  .endif
  tcp_climb \to, \tile, \above, %(\level + 1), \depth, \kept
.endm

.macro tcp_load_b k, first
  vmovaps (\k*2)*64(%rdx), %zmm\first
.endm
.macro tcp_load_b_high k, second
  vmovaps (\k*2+1)*64(%rdx), %zmm\second
.endm
.macro tcp_broadcast k, row, to
  vbroadcastss (\k*4+\row)*4(%rsi), %zmm\to
.endm
.macro tcp_multiply a, b, to
  vmulps %zmm\a, %zmm\b, %zmm\to
.endm
.macro tcp_fuse a, b, to
  vfmadd231ps %zmm\a, %zmm\b, %zmm\to
.endm

# One row of one pair of k: two registers of columns.
.macro tcp_row pair, row, depth, kept, fused, base, low, high
  tcp_broadcast %(2 * \pair), \row, %(\base + 4)
  tcp_broadcast %(2 * \pair + 1), \row, %(\base + 5)
  tcp_multiply %(\base + 4), \base, \low
  tcp_multiply %(\base + 4), %(\base + 1), \high
  .if \fused
    tcp_fuse %(\base + 5), %(\base + 2), \low
    tcp_fuse %(\base + 5), %(\base + 3), \high
  .else
    tcp_multiply %(\base + 5), %(\base + 2), %(\base + 8 + 2 * \row)
    tcp_multiply %(\base + 5), %(\base + 3), %(\base + 9 + 2 * \row)
    tcp_add_registers \low, %(\base + 8 + 2 * \row), \low
    tcp_add_registers \high, %(\base + 9 + 2 * \row), \high
  .endif
  tcp_climb \low, %(2 * \row), \pair, 1, \depth, \kept
  tcp_climb \high, %(2 * \row + 1), \pair, 1, \depth, \kept
.endm

.macro tcp_pair pair, depth, kept, fused
  tcp_load_b %(2 * \pair), %(8 * \kept)
  tcp_load_b_high %(2 * \pair), %(8 * \kept + 1)
  tcp_load_b %(2 * \pair + 1), %(8 * \kept + 2)
  tcp_load_b_high %(2 * \pair + 1), %(8 * \kept + 3)
  .irp row, 0, 1, 2, 3
    .if (\pair) & 1
      tcp_row \pair, \row, \depth, \kept, \fused, %(8 * \kept), %(8 * \kept + 6), %(8 * \kept + 7)
    .else
      tcp_row \pair, \row, \depth, \kept, \fused, %(8 * \kept), %(2 * \row), %(2 * \row + 1)
    .endif
  .endr
.endm

.macro tcp_single row
  tcp_broadcast 0, \row, 4
  tcp_multiply 4, 0, 5
  tcp_multiply 4, 1, 6
  tcp_accumulate %(2 * \row), 5
  tcp_accumulate %(2 * \row + 1), 6
.endm

.macro tcp_tree name, depth, kept, fused
  .p2align 6
  .local \name
  .type \name, @function
\name:
  push %rbp
  mov %rsp, %rbp
  and $-64, %rsp
  sub $(8*64*5), %rsp
  .p2align 6
1:
  .if \depth == 0
    tcp_load_b 0, 0
    tcp_load_b_high 0, 1
    .irp row, 0, 1, 2, 3
      tcp_single \row
    .endr
  .else
    .irp pair, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
      .if 2 * \pair < (1 << \depth)
        tcp_pair \pair, \depth, \kept, \fused
      .endif
    .endr
  .endif
  add $((1 << \depth)*4*4), %rsi
  add $((1 << \depth)*32*4), %rdx
  dec %rdi
  jnz 1b
  vzeroupper
  leave
  ret
  .size \name, .-\name
.endm

.pushsection .text
.irp depth, 0, 1, 2, 3, 4, 5, 6
  tcp_tree tcp_tree_separate_\depth, \depth, 2, 0
  tcp_tree tcp_tree_fused_\depth, \depth, 3, 1
.endr

# Quads: 6 rows, 64 columns, all accumulators in registers. rdi units, rsi a [unit][6] signed, rdx b [unit][64] unsigned, rcx accumulators [6][64].
.macro tcp_quad_accumulator tile
  vmovdqa32 \tile*64(%rcx), %zmm\tile
.endm
.macro tcp_quad_keep tile
  vmovdqa32 %zmm\tile, \tile*64(%rcx)
.endm
.macro tcp_quad_dot row, column, b
  vpdpbusd %zmm\row, %zmm\b, %zmm\column
.endm
.macro tcp_quad_row row
  vpbroadcastd \row*4(%rsi), %zmm28
  tcp_quad_dot 28, %(4 * \row), 24
  tcp_quad_dot 28, %(4 * \row + 1), 25
  tcp_quad_dot 28, %(4 * \row + 2), 26
  tcp_quad_dot 28, %(4 * \row + 3), 27
.endm
.p2align 6
.local tcp_quads
.type tcp_quads, @function
tcp_quads:
  .irp tile, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23
    tcp_quad_accumulator \tile
  .endr
  .p2align 6
1:
  vmovdqa32 (%rdx), %zmm24
  vmovdqa32 64(%rdx), %zmm25
  vmovdqa32 128(%rdx), %zmm26
  vmovdqa32 192(%rdx), %zmm27
  .irp row, 0, 1, 2, 3, 4, 5
    tcp_quad_row \row
  .endr
  add $24, %rsi
  add $256, %rdx
  dec %rdi
  jnz 1b
  .irp tile, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23
    tcp_quad_keep \tile
  .endr
  vzeroupper
  ret
.size tcp_quads, .-tcp_quads

# Quads by AMX: 32 rows and 32 columns are four tiles of 16 x 16. rdi units, rsi a [run][32][16] signed, rdx b [unit][32] signed, rcx accumulators [32][32].
.p2align 6
.local tcp_amx_quads
.type tcp_amx_quads, @function
tcp_amx_quads:
  mov $128, %eax
  mov $64, %r8d
  tileloadd (%rcx,%rax,1), %tmm0
  tileloadd 64(%rcx,%rax,1), %tmm1
  tileloadd 16*128(%rcx,%rax,1), %tmm2
  tileloadd 16*128+64(%rcx,%rax,1), %tmm3
  .p2align 6
1:
  tileloadd (%rsi,%r8,1), %tmm4
  tileloadd (%rdx,%rax,1), %tmm6
  tileloadd 64(%rdx,%rax,1), %tmm7
  tdpbssd %tmm6, %tmm4, %tmm0
  tdpbssd %tmm7, %tmm4, %tmm1
  tileloadd 16*64(%rsi,%r8,1), %tmm5
  tdpbssd %tmm6, %tmm5, %tmm2
  tdpbssd %tmm7, %tmm5, %tmm3
  add $(32*64), %rsi
  add $(16*128), %rdx
  sub $16, %rdi
  jg 1b
  tilestored %tmm0, (%rcx,%rax,1)
  tilestored %tmm1, 64(%rcx,%rax,1)
  tilestored %tmm2, 16*128(%rcx,%rax,1)
  tilestored %tmm3, 16*128+64(%rcx,%rax,1)
  ret
.size tcp_amx_quads, .-tcp_amx_quads

# Eight tiles of 16 rows of 64 bytes; and none, which spares the system from keeping them.
.p2align 4
.local tcp_amx_begin
.type tcp_amx_begin, @function
tcp_amx_begin:
  ldtilecfg tcp_amx_tiles(%rip)
  ret
.size tcp_amx_begin, .-tcp_amx_begin
.local tcp_amx_end
.type tcp_amx_end, @function
tcp_amx_end:
  tilerelease
  ret
.size tcp_amx_end, .-tcp_amx_end
.popsection

.pushsection .rodata
.p2align 6
tcp_amx_tiles:
  .byte 1, 0
  .zero 14
  .rept 8
  .short 64
  .endr
  .zero 16
  .rept 8
  .byte 16
  .endr
  .zero 8
.popsection
.noaltmacro
)");

extern "C" {
#define TCP_TREE(depth)                                                                                     \
  void tcp_tree_separate_##depth(std::int64_t, const std::uint32_t*, const std::uint32_t*, std::uint32_t*); \
  void tcp_tree_fused_##depth(std::int64_t, const std::uint32_t*, const std::uint32_t*, std::uint32_t*);
TCP_TREE(0)
TCP_TREE(1)
TCP_TREE(2)
TCP_TREE(3)
TCP_TREE(4)
TCP_TREE(5)
TCP_TREE(6)
#undef TCP_TREE
void tcp_quads(std::int64_t, const std::uint32_t*, const std::uint32_t*, std::uint32_t*);
void tcp_amx_quads(std::int64_t, const std::uint32_t*, const std::uint32_t*, std::uint32_t*);
void tcp_amx_begin();
void tcp_amx_end();
}

namespace tcp::vector::kernels {

TileKernel avx512_tree(int depth, bool fused) {
  constexpr TileKernel kernels[][2] = {{tcp_tree_separate_0, tcp_tree_fused_0}, {tcp_tree_separate_1, tcp_tree_fused_1},
                                       {tcp_tree_separate_2, tcp_tree_fused_2}, {tcp_tree_separate_3, tcp_tree_fused_3},
                                       {tcp_tree_separate_4, tcp_tree_fused_4}, {tcp_tree_separate_5, tcp_tree_fused_5},
                                       {tcp_tree_separate_6, tcp_tree_fused_6}};
  return (usable_targets() & HWY_AVX3) != 0 && depth <= 6 ? kernels[depth][fused ? 1 : 0] : nullptr;
}

TileKernel avx512_quads() { return (usable_targets() & HWY_AVX3_DL) != 0 ? tcp_quads : nullptr; }

bool take_amx_quads(TileKernels& k) {
  if (!usable_amx()) return false;
  k.unit = Unit::quad;
  k.rows = k.columns = 32;
  k.run = 16;
  k.separate = k.fused = tcp_amx_quads;
  k.begin = tcp_amx_begin;
  k.end = tcp_amx_end;
  return true;
}

}  // namespace tcp::vector::kernels

#else

namespace tcp::vector::kernels {

TileKernel avx512_tree(int, bool) { return nullptr; }
TileKernel avx512_quads() { return nullptr; }
bool take_amx_quads(TileKernels&) { return false; }

}  // namespace tcp::vector::kernels

#endif
