// Each operator by example, its refusals, and the limits of a mapping.
#include <gtest/gtest.h>

#include "texts.hpp"

namespace {

using namespace tcp;

constexpr std::int64_t largest = 9'223'372'036'854'775'807;

TEST(Axis, IsOneDigit) {
  constexpr Mapping m = axis_mapping(Name("A"), 8);
  static_assert(m.size == 8 && m.digits == 1 && m.axes == 1 && m.axis[0].extent == 8);
  EXPECT_EQ(canonical(m), "A");
}

TEST(Axis, OfOnePositionIsNoDigit) {
  constexpr Mapping m = axis_mapping(Name("A"), 1);
  static_assert(m == copies(1));
  EXPECT_EQ(canonical(m), "1");
}

TEST(Axis, NeedsANameAndASize) {
  EXPECT_EQ(refused(axis_mapping(Name("a"), 8)), "mapping-axis-name");
  EXPECT_EQ(refused(axis_mapping(Name(""), 8)), "mapping-axis-name");
  EXPECT_EQ(refused(axis_mapping(Name("A b"), 8)), "mapping-axis-name");
  EXPECT_EQ(refused(axis_mapping(Name("A"), 0)), "mapping-axis-size");
  EXPECT_EQ(refused(axis_mapping(Name("A"), -8)), "mapping-axis-size");
  EXPECT_EQ(refused(axis_mapping(Name("Sixteen_letters_"), largest)), "");
}

TEST(Copies, HoldTheSameElement) {
  Mapping const m = pair(copies(3), read("A"));
  for (std::int64_t i = 0; i < 24; ++i) EXPECT_TRUE(holds(m, i, at("A", i % 8)));
  EXPECT_TRUE(copies(1) == Mapping{});
  EXPECT_EQ(refused(copies(0)), "mapping-number-below-one");
  EXPECT_EQ(refused(copies(-1)), "mapping-number-below-one");
}

TEST(Pair, JoinsWhatCountsAsOne) {
  EXPECT_EQ(read("A / 2, A % 2").digits, 1);
  EXPECT_EQ(read("2, 3").digits, 1);
  EXPECT_EQ(read("1 # 4, A").digits, 1) << "mere padding lengthens what stands inside";
  EXPECT_EQ(canonical("1 # 4, A"), "A # 32");
  EXPECT_EQ(read("A % 2, A / 2").digits, 2);
  EXPECT_EQ(canonical("1 # 4, A #z 10"), "1 # 4, A #z 10") << "but not where the kinds differ";
}

TEST(Pair, RefusesStepsThatAreCountedTwice) {
  EXPECT_EQ(refused("A, A"), "mapping-axis-twice");
  EXPECT_EQ(refused("A / 2, A % 4"), "mapping-axis-twice");
  EXPECT_EQ(refused("A / 4, A % 2"), "") << "steps of 2 are left out, which is no overlap";
  EXPECT_EQ(refused(pair(axis_mapping(Name("A"), 8), axis_mapping(Name("A"), 9))), "mapping-axis-two-sizes");
}

TEST(Pair, RefusesMoreThan64BitsOfPositions) {
  EXPECT_EQ(refused("Huge"), "");
  EXPECT_EQ(refused("Huge, 1"), "");
  EXPECT_EQ(refused("Huge, 2"), "mapping-size-overflow");
  EXPECT_EQ(refused("2, Huge"), "mapping-size-overflow");
  EXPECT_EQ(refused("Huge / 2, 3"), "");
}

TEST(Fault, IsCarriedOnAndTheFirstOneStays) {
  Mapping const bad = divide_by(read("D"), 4);
  ASSERT_EQ(bad.fault.kind, FaultKind::stride_not_divisor);
  for (Mapping const& m : {pair(bad, read("A")), pair(read("A"), bad), bad / 2, bad % 2, bad.pad(99), bad.pad_zero(99), bad.pad_bottom(99),
                           bad.pad_left(1), bad.resize(1), bad.from(1), skew(bad, read("A")), skew(read("A"), bad)}) {
    EXPECT_EQ(m.fault.kind, FaultKind::stride_not_divisor);
    EXPECT_FALSE(m.ok());
  }
  Slide const members[] = {{bad, 1}, {read("A"), 1}};
  EXPECT_EQ(slide_over(members).fault.kind, FaultKind::stride_not_divisor);
  EXPECT_FALSE(check(bad).ok());
  EXPECT_TRUE(check(read("D")).ok());
  EXPECT_FALSE(equivalent(bad, bad)) << "nothing is equivalent to what cannot be";
  EXPECT_EQ(cell(bad, 0).kind, CellKind::outside);
}

TEST(Split, GivesTheTwoSides) {
  Halves const h = split_at(read("A, D # 64"), 16);
  EXPECT_EQ(canonical(h.outer), "A, D # 64 / 16");
  EXPECT_EQ(canonical(h.inner), "D = 16");
  EXPECT_TRUE(pair(h.outer, h.inner) == read("A, D # 64"));
}

TEST(Split, OfPaddingBeyondAllElementsLeavesMerePadding) {
  Halves const h = split_at(read("E # 64"), 4);
  EXPECT_EQ(canonical(h.outer), "1 # 16");
  EXPECT_EQ(canonical(h.inner), "E # 4");
}

TEST(Split, FollowsTheRuleOfCuts) {
  EXPECT_EQ(refused("[A, E] / 2"), "mapping-cut-inside-digit");
  EXPECT_EQ(refused("B = 3 # 4 / 2"), "mapping-cut-inside-digit");
  EXPECT_EQ(refused("B = 64 # 512 / 16"), "");
  EXPECT_EQ(refused("D # 64 / 16"), "");
  EXPECT_EQ(refused("[A, E] # 25 / 5"), "mapping-cut-through-tail");
  EXPECT_EQ(refused("[[A, E] # 25, B] / 512"), "") << "beside a tail, not through it";
  EXPECT_EQ(refused("[[A, E] # 25, B] / 12800"), "") << "the whole of it";
  EXPECT_EQ(refused("$(N, F:2) / 3"), "mapping-cut-through-window");
  EXPECT_EQ(refused("skew(A, E) / 2"), "mapping-cut-through-window");
  EXPECT_EQ(refused("D / 4"), "mapping-stride-not-divisor");
  EXPECT_EQ(refused("D % 4"), "mapping-modulo-not-divisor");
  EXPECT_EQ(refused("A / 0"), "mapping-number-below-one");
  EXPECT_EQ(refused("A % 0"), "mapping-number-below-one");
}

TEST(Pad, HasTheGreaterKindWhereTwoMeet) {
  EXPECT_EQ(canonical("A #z 10 # 12"), "A # 12");
  EXPECT_EQ(canonical("A # 10 #z 12"), "A # 12");
  EXPECT_EQ(canonical("A #z 10 #z 12"), "A #z 12");
  EXPECT_EQ(canonical("A #! 10 #z 12"), "A #! 12");
  EXPECT_EQ(canonical("A # 8"), "A") << "nothing was padded, so there is no kind";
  EXPECT_EQ(canonical("A # 8 #z 12"), "A #z 12");
  // A place that two factors pad.
  Mapping const m = read("A #z 9, E #! 4");
  EXPECT_EQ(pad_at(m, 8 * 4), Pad::zero);
  EXPECT_EQ(pad_at(m, 3), Pad::bottom);
  EXPECT_EQ(pad_at(m, 8 * 4 + 3), Pad::bottom);
}

TEST(Pad, OfAGroupPadsItsOutermostFactorIfItCan) {
  EXPECT_EQ(canonical("[A, E] # 30"), "A # 10, E");
  EXPECT_EQ(read("[A, E] # 30").tails, 0);
  EXPECT_EQ(canonical("[A, E] # 31"), "[A, E] # 31");
  EXPECT_EQ(canonical("[A, E] # 31 # 33"), "A # 11, E") << "one tail less when it has become whole";
  EXPECT_EQ(canonical("[A, E, 2] # 52"), "[A, E] # 26, 2") << "inner factors that divide stay outside of the tail";
}

TEST(Pad, BehindATailHasTheKindOfBoth) {
  Mapping const m = read("[A, E] #z 25, N #! 8");
  EXPECT_EQ(pad_at(m, 24 * 8), Pad::zero);
  EXPECT_EQ(pad_at(m, 24 * 8 + 7), Pad::bottom);
  EXPECT_EQ(pad_at(m, 7), Pad::bottom);
}

TEST(Pad, RefusesLessAndTooMuch) {
  EXPECT_EQ(refused("A # 7"), "mapping-pad-below-size");
  EXPECT_EQ(refused("A #z 7"), "mapping-pad-below-size");
  EXPECT_EQ(refused("A #! 0"), "mapping-pad-below-size");
  EXPECT_EQ(refused("A # 9223372036854775807"), "");
  EXPECT_EQ(read("A # 9223372036854775807").size, largest);
}

TEST(PadFront, IsOfTheKindOfThePaddingBehind) {
  // FET-26: two in front, four behind.
  constexpr Axes axes = *parse_axes("B = 90");
  Mapping const front = *parse("B #< 2 #z 96", axes);
  EXPECT_EQ(front.size, 96);
  for (std::int64_t i : {0, 1, 92, 93, 94, 95}) EXPECT_EQ(pad_at(front, i), Pad::zero) << i;
  for (std::int64_t i = 2; i < 92; ++i) EXPECT_TRUE(holds(front, i, at("B", i - 2)));
  EXPECT_EQ(pad_at(*parse("B #< 2", axes), 0), Pad::top);
  EXPECT_EQ(pad_at(*parse("B #< 2 #! 96", axes), 1), Pad::bottom);
  EXPECT_EQ(pad_at(*parse("B #< 2 #! 92", axes), 1), Pad::bottom) << "also where nothing is added behind";
  EXPECT_EQ(canonical(*parse("B #z 94 #< 2", axes)), "B #< 2 #z 96");
}

TEST(PadFront, CutIntoBlocksCountsFromTheBlock) {
  constexpr Axes axes = *parse_axes("B = 90");
  Mapping const front = *parse("B #< 2 #z 96", axes), time = front / 32, packet = front % 32;
  ASSERT_TRUE(time.ok() && packet.ok());
  EXPECT_EQ(time.axis[0].start, -2);
  EXPECT_EQ(packet.axis[0].start, 0) << "FET-26: Time has -2, Packet 0";
  EXPECT_TRUE(pair(time, packet) == front);
}

TEST(PadFront, NeedsAWholeAxisOrItsOuterPart) {
  EXPECT_EQ(refused("B #< 2"), "");
  EXPECT_EQ(refused("B / 8 #< 2"), "");
  EXPECT_EQ(refused("B % 8 #< 2"), "mapping-left-pad-inner");
  EXPECT_EQ(refused("B = 8 #< 2"), "mapping-left-pad-inner");
  EXPECT_EQ(refused("[A, B] #< 2"), "mapping-left-pad-inner");
  EXPECT_EQ(refused("3 #< 2"), "mapping-left-pad-inner");
  EXPECT_EQ(refused("B @ 1 #< 2"), "mapping-left-pad-inner");
  EXPECT_TRUE(read("B #< 0") == read("B"));
  EXPECT_EQ(refused(pad_front(read("B"), -1)), "mapping-number-below-one");
  EXPECT_EQ(refused(pad_front(read("Huge"), largest)), "mapping-size-overflow");
}

TEST(Start, SlidesAlongTheAxis) {
  Mapping const m = read("A @ 2");
  EXPECT_EQ(m.size, 8);
  for (std::int64_t i = 0; i < 6; ++i) EXPECT_TRUE(holds(m, i, at("A", i + 2)));
  EXPECT_EQ(pad_at(m, 6), Pad::top);
  EXPECT_TRUE(holds(read("B / 64 @ 3"), 1, at("B", 256))) << "steps of the innermost factor";
  EXPECT_TRUE(holds(read("B % 8 @ 4"), 0, at("B", 4)));
  EXPECT_TRUE(holds(read("B @ 5 = 1"), 0, at("B", 5))) << "one position, and its start is kept";
  EXPECT_TRUE(read("A @ 0") == read("A"));
  EXPECT_TRUE(read("A @ 1 @ 2") == read("A @ 3"));
}

TEST(Start, IsKeptByStrideAndDroppedByModulo) {
  Mapping const e = read("B @ 4");
  EXPECT_EQ((e / 8).axis[0].start, 4);
  EXPECT_EQ((e % 8).axis[0].start, 0);
  EXPECT_TRUE(equivalent(pair(e / 8, e % 8), e));
}

TEST(Start, OfAnotherFactorPadsAGroupAsItsOwnWould) {
  // The group's padding covers what the start pads; without it two forms would hold the same elements at the same positions.
  EXPECT_EQ(canonical("A @ 6 = 1, [A, D] # 1000"), "[A @ 6 = 2, D] # 1000");
  EXPECT_TRUE(read("A @ 6 = 1, [A, D] # 1000") == read("[A @ 6, D] # 1000"));
  EXPECT_TRUE(read("[A, D] # 1000, A @ 6 = 1") == read("[A @ 6, D] # 1000"));
  EXPECT_EQ(canonical("A @ 7 = 1, [A, N, C] # 522"), "A @ 7 = 1, [N, C] # 522") << "one step of A is left: it counts nothing";
  EXPECT_EQ(canonical("A @ 7 = 1, [A, E #z 17] # 137"), "A @ 7 = 1, E # 137") << "padding over padding has the greater kind";
  EXPECT_EQ(canonical("A @ 6 = 1, [A, D] #z 1000"), "[A @ 6 = 2, D] # 1000");
  EXPECT_EQ(canonical("A @ 1 = 1, [A / 4, D] #z 125"), "[A @ 1 / 4, D] # 125") << "the last step runs over the end of A";
}

TEST(Start, LeavesFactorsToBeJoinedInOneRow) {
  Mapping const m = read("A @ 7 = 1, [F, A / 4] # 7, A % 4, N");  // F with `1 # 2`, then `1 # 4`, then N: all of it belongs to the group
  EXPECT_EQ(canonical(m), "A @ 7 = 1, [F, N # 40] # 140");
  EXPECT_EQ(m.size, 140);
  Footprints const foot = footprints(m);
  EXPECT_EQ(foot.tail_unit[0] * m.tail[0].slot, m.size);
}

TEST(Start, TakenBackLeavesNoKindBehind) { EXPECT_EQ(canonical("N @ 4 # 8, [N #< 4 #! 21] = 2"), "N = 2 # 16"); }

TEST(Start, NeedsOneAxisAndStaysInside) {
  EXPECT_EQ(refused("[A, B] @ 1"), "mapping-start-many-axes");
  EXPECT_EQ(refused("3 @ 1"), "mapping-start-many-axes");
  EXPECT_EQ(refused("B = 1 @ 5"), "mapping-start-many-axes");
  EXPECT_EQ(refused("$(N, F:2) @ 1"), "mapping-start-many-axes");
  EXPECT_EQ(refused("A @ 8"), "mapping-start-beyond-axis");
  EXPECT_EQ(refused("A @ 7"), "");
  EXPECT_EQ(refused("A / 2 @ 4"), "mapping-start-beyond-axis");
  EXPECT_EQ(refused("B @ 300 / 2, B % 2 @ 212"), "mapping-start-beyond-axis") << "starts add up";
  EXPECT_EQ(refused("B @ 9223372036854775807"), "mapping-start-beyond-axis");
  EXPECT_EQ(refused(start_at(read("A"), -1)), "mapping-number-below-one");
}

TEST(Resize, KeepsTheFirst) {
  EXPECT_EQ(canonical("[A, E] = 9"), "A = 3, E");
  EXPECT_EQ(canonical("[A, E] = 3"), "E");
  EXPECT_EQ(canonical("[A, E] = 2"), "E = 2");
  EXPECT_EQ(canonical("[A, E] = 1"), "1");
  EXPECT_EQ(canonical("[A, E] # 31 = 24"), "A, E") << "the tail is gone";
  EXPECT_EQ(canonical("[A, E] # 31 = 26"), "[A, E] # 26");
  EXPECT_EQ(canonical("A # 20 = 9"), "A # 9");
  EXPECT_EQ(refused("[A, E] = 4"), "mapping-cut-inside-digit");
  EXPECT_EQ(refused("A = 9"), "mapping-resize-above-size");
  EXPECT_EQ(refused("A = 0"), "mapping-number-below-one");
  EXPECT_EQ(refused("skew(A, E) = 2"), "mapping-cut-through-window");
}

TEST(Slide, TakesPlainSteps) {
  EXPECT_EQ(read("$(N, F:2)").size, 9);
  EXPECT_EQ(refused("$(N # 8, F)"), "mapping-window-part");
  EXPECT_EQ(refused("$([N, F], W)"), "mapping-window-part");
  EXPECT_EQ(refused("$(3, F)"), "mapping-window-part");
  EXPECT_EQ(refused("$(N @ 1, F)"), "mapping-window-part");
  EXPECT_EQ(refused("$(N, N)"), "mapping-window-axis-twice");
  EXPECT_EQ(refused("$(W / 2:2, W % 2)"), "");
  EXPECT_EQ(refused("$(N:0, F)"), "mapping-number-below-one");
  EXPECT_EQ(refused("$(Huge:4, F)"), "mapping-size-overflow");
  EXPECT_EQ(canonical("$(N, 1, F:2)"), canonical("$(N, F:2)")) << "one position slides nowhere";
  EXPECT_EQ(canonical("$(N)"), "N");
  EXPECT_EQ(canonical("$(N:3, F)"), "N, F") << "steps that end where the others end are an outer factor";
}

TEST(Slide, TakesOnePaddingOrOneCut) {
  EXPECT_EQ(read("$(N, F:2) # 12").size, 12);
  EXPECT_EQ(read("$(N, F:2) = 6").size, 6);
  EXPECT_EQ(pad_at(read("$(N, F:2) #z 12"), 9), Pad::zero);
  EXPECT_EQ(refused("$(N, F:2) = 6 # 12"), "mapping-window-cut-and-padded");
  EXPECT_EQ(cell(read("$(N, F:2) = 6"), 4).kind, CellKind::several);
  EXPECT_EQ(cell(read("$(N, F:2) = 6"), 6).kind, CellKind::outside);
}

TEST(Skew, TakesAWholeAxisAndAnother) {
  EXPECT_EQ(refused("skew(A, E)"), "");
  EXPECT_EQ(refused("skew(A, A)"), "mapping-skew-part");
  EXPECT_EQ(refused(skew(read("A / 2"), read("E"))), "mapping-skew-part");
  EXPECT_EQ(refused(skew(read("A # 9"), read("E"))), "mapping-skew-part");
  EXPECT_EQ(refused(skew(read("A"), copies(3))), "mapping-skew-part");
}

TEST(WithoutKinds, MakesEveryPaddingTop) {
  EXPECT_EQ(canonical(without_kinds(read("A #z 10, E #! 4"))), "A # 10, E # 4");
  EXPECT_EQ(canonical(without_kinds(read("[A, E] #z 25"))), "[A, E] # 25");
  EXPECT_EQ(canonical(without_kinds(read("D #z 64 / 16"))), "D # 64 / 16");
  EXPECT_EQ(canonical(without_kinds(read("B #< 2 #z 600"))), "B #< 2 # 600");
  EXPECT_EQ(canonical(without_kinds(read("$(N, F:2) #z 12"))), "$(F:2, N) # 12");
}

/// n factors that do not join: rows of two copies with a gap behind them.
Mapping rows(int n) {
  Mapping all;
  for (int i = 0; i < n; ++i) all = pair(all, copies(2).pad(3));
  return all;
}

TEST(Limits, SixteenDigits) {
  EXPECT_TRUE(rows(16).ok());
  EXPECT_EQ(rows(16).digits, 16);
  EXPECT_EQ(refused(rows(17)), "mapping-too-many-digits");
  // Full, but the next factor joins the last one.
  Mapping const full = pair(rows(15), read("A / 2"));
  ASSERT_EQ(full.digits, 16);
  EXPECT_EQ(pair(full, read("A % 2")).digits, 16);
  EXPECT_EQ(refused(pair(full, read("E"))), "mapping-too-many-digits");
  EXPECT_EQ(pair(copies(1), full).digits, 16);
  EXPECT_EQ(pair(full, copies(1)).digits, 16);
}

TEST(Limits, FourTails) {
  Axes const axes = *parse_axes("A = 2, B = 2, C = 2, D = 2, E = 2");
  EXPECT_EQ(parse("[A, 3] # 7, [B, 3] # 7, [C, 3] # 7, [D, 3] # 7", axes)->tails, 4);
  EXPECT_STREQ(parse("[A, 3] # 7, [B, 3] # 7, [C, 3] # 7, [D, 3] # 7, [E, 3] # 7", axes).refusal().code, "mapping-too-many-tails");
  EXPECT_EQ(parse("[A, [B, [C, [D, 3] # 7] # 15] # 31] # 63", axes)->tails, 4) << "nested";
  EXPECT_STREQ(parse("[A, [B, [C, [D, [E, 3] # 7] # 15] # 31] # 63] # 127", axes).refusal().code, "mapping-too-many-tails");
}

TEST(Limits, SixteenAxes) {
  std::string declared, list;
  for (int i = 0; i < 17; ++i) {
    std::string const name = "X" + std::to_string(i);
    declared += (i > 0 ? ", " : "") + name + " = 2";
    list += (i > 0 ? ", " : "") + name;
    if (i < 16) {
      EXPECT_EQ(parse(list, *parse_axes(declared))->axes, i + 1);
    }
  }
  EXPECT_STREQ(parse(list, *parse_axes(declared)).refusal().code, "mapping-too-many-axes");
}

TEST(Limits, NumbersUpTo64Bits) {
  EXPECT_EQ(read("1 # 9223372036854775807").size, largest);
  EXPECT_EQ(read("9223372036854775807").size, largest);
  EXPECT_EQ(refused("9223372036854775807, 2"), "mapping-size-overflow");
  EXPECT_TRUE(holds(read("Huge"), 4611686018427387903, at("Huge", 4611686018427387903)));
  EXPECT_EQ(cell(read("1 # 9223372036854775807"), largest - 1).kind, CellKind::padding);
  EXPECT_EQ(refused("2 # 9223372036854775807 % 4"), "mapping-modulo-not-divisor");
}

}  // namespace
