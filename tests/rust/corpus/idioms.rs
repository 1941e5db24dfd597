//! One kernel for each manner of writing that crates have: closures, iterators, traits, enums, patterns, macros, constants.
//! Each adds a number to every element that the language alone decides; tests/rust/idioms_test.cpp knows the number.
#![allow(dead_code, unused_variables, clippy::needless_range_loop)]

use std::fmt;
use vendor_std::prelude::*;

axes![A = 2048, /// an axis may have a comment
      B = 8,];

type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![A / 8];
/// Of whole numbers, if nothing else is said.
type Dm<D = i32> = DmTensor<D, Chip, Cluster, Slice, m![A % 8]>;
pub type Hbm = HbmTensor<i32, Chip, m![A]>;

fn load(ctx: &mut Context, x: &Hbm) -> Dm {
    x.to_dm(&mut ctx.tdma)
}

fn add(ctx: &mut Context, x: &Dm, n: i32) -> Dm {
    ctx.main
        .begin(x.view())
        .fetch::<m![1], m![A % 8]>()
        .collect::<m![1], m![A % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_fxp(FxpBinaryOp::AddFxp, n)
        .vector_final()
        .commit()
}

/// x + n, in HBM again.
fn plus(ctx: &mut Context, x: &Hbm, n: i32) -> Hbm {
    let dm = load(ctx, x);
    add(ctx, &dm, n).to_hbm(&mut ctx.tdma)
}

// Closures.

#[device(chip = 1)]
pub fn closure_looks_around(ctx: &mut Context, x: &Hbm) -> Hbm {
    let k = 3;
    let times = |n: i32| n * k;
    plus(ctx, x, times(4) + times(1))
}

#[device(chip = 1)]
pub fn closure_takes_along(ctx: &mut Context, x: &Hbm) -> Hbm {
    let mut k = 2;
    let f = move |n: i32| -> i32 { n + k };
    k = 100;
    plus(ctx, x, f(1) + k)
}

#[device(chip = 1)]
pub fn closure_changes(ctx: &mut Context, x: &Hbm) -> Hbm {
    let mut total = 0;
    let mut bump = |n| total += n;
    bump(3);
    bump(4);
    plus(ctx, x, total)
}

fn twice(n: i32) -> i32 {
    n * 2
}
fn both(f: impl Fn(i32) -> i32, g: fn(i32) -> i32, n: i32) -> i32 {
    g(f(n))
}
fn adder(by: i32) -> impl Fn(i32) -> i32 {
    move |n| n + by
}

#[device(chip = 1)]
pub fn functions_are_values(ctx: &mut Context, x: &Hbm) -> Hbm {
    let f = adder(5);
    let table: [fn(i32) -> i32; 2] = [twice, |n| n - 1];
    plus(ctx, x, both(|n| n + 1, twice, 4) + f(1) + table[1](10) + (table[0])(3))
}

fn repeated<F>(ctx: &mut Context, x: Dm, times: usize, mut step: F) -> Dm
where
    F: FnMut(&mut Context, &Dm, usize) -> Dm,
{
    let mut now = x;
    for i in 0..times {
        now = step(ctx, &now, i);
    }
    now
}

#[device(chip = 1)]
pub fn closure_records(ctx: &mut Context, x: &Hbm) -> Hbm {
    let dm = load(ctx, x);
    let out = repeated(ctx, dm, 3, |ctx, now, i| add(ctx, now, i as i32 * 10 + 1));
    out.to_hbm(&mut ctx.tdma)
}

// Iterators.

#[device(chip = 1)]
pub fn iterators_add_up(ctx: &mut Context, x: &Hbm) -> Hbm {
    let odd_squares: i32 = (1..=5).map(|i| i * i).filter(|i| i % 2 == 1).sum();
    let products = [1, 2, 3].iter().zip([10, 20, 30]).map(|(a, b)| a * b).sum::<i32>();
    let most = [3, 9, 4].iter().copied().max().unwrap();
    let place = [5, 6, 7].iter().position(|&v| v == 6).unwrap_or(100) as i32;
    let pairs: Vec<(usize, i32)> = vec![4, 5].into_iter().enumerate().collect();
    plus(ctx, x, odd_squares + products + most + place + pairs[1].0 as i32 + pairs[1].1)
}

#[device(chip = 1)]
pub fn iterators_turn_round(ctx: &mut Context, x: &Hbm) -> Hbm {
    let mut n = 0;
    for i in (0..10).rev().step_by(3) {
        n = n * 2 + i;
    }
    for (i, w) in [1, 2, 4, 8].windows(2).enumerate() {
        n += i as i32 * (w[1] - w[0]);
    }
    for c in [1, 2, 3, 4, 5].chunks(2).skip(1).take(1) {
        n += c.iter().sum::<i32>();
    }
    for v in (0..2).chain(5..7) {
        n += v;
    }
    let negative: i32 = (-3..0).map(|i: i32| i * i).fold(0, |a, b| a * 10 + b);
    plus(ctx, x, n + negative)
}

#[device(chip = 1)]
pub fn fold_records(ctx: &mut Context, x: &Hbm) -> Hbm {
    let dm = load(ctx, x);
    let out = (0..3).fold(dm, |now, i| add(ctx, &now, i + 1));
    out.to_hbm(&mut ctx.tdma)
}

#[device(chip = 1)]
pub fn tensors_in_arrays(ctx: &mut Context, xs: [&Hbm; 3]) -> [Hbm; 2] {
    let [a, b, c] = xs.map(|x| load(ctx, x));
    let moved = [&a, &b, &c].iter().rev().enumerate().map(|(i, t)| add(ctx, t, i as i32)).collect::<Vec<_>>();
    [moved[0].to_hbm(&mut ctx.tdma), moved[2].to_hbm(&mut ctx.tdma)]
}

// Ways through a function.

fn first_square_above(n: i32) -> i32 {
    if n > 1000 {
        return -1;
    }
    for i in 0.. {
        if i == 40 {
            break;
        }
        if i * i > n {
            return i;
        }
    }
    0
}

#[device(chip = 1)]
pub fn early_returns(ctx: &mut Context, x: &Hbm) -> Hbm {
    fn inner(n: i32) -> i32 {
        fn inmost(n: i32) -> i32 {
            n + 1
        }
        if n == 0 {
            return 7;
        }
        inmost(n)
    }
    let n = first_square_above_by_while(50) * 100 + inner(0) * 10 + inner(1);
    if n < 0 {
        return plus(ctx, x, 0);
    }
    plus(ctx, x, n)
}
fn first_square_above_by_while(n: i32) -> i32 {
    let mut i = 0;
    while i * i <= n {
        i += 1;
    }
    i
}

#[device(chip = 1)]
pub fn loops_have_values(ctx: &mut Context, x: &Hbm) -> Hbm {
    let mut i = 0;
    let n = 'outer: loop {
        loop {
            i += 3;
            if i % 5 == 0 {
                break 'outer i * 2;
            }
            if i % 2 == 0 {
                continue 'outer;
            }
        }
    };
    let m = 'found: {
        if n == 30 {
            break 'found 4;
        }
        9
    };
    let mut dm = load(ctx, x);
    let mut left = 3;
    while left > 0 {
        dm = add(ctx, &dm, left);
        left -= 1;
    }
    add(ctx, &dm, n + m).to_hbm(&mut ctx.tdma)
}

#[device(chip = 1)]
pub fn loops_over_open_ranges(ctx: &mut Context, x: &Hbm) -> Hbm {
    let mut dm = load(ctx, x);
    for i in 1.. {
        if i * i > 20 {
            break;
        }
        dm = add(ctx, &dm, i); // 1 + 2 + 3 + 4
    }
    for (i, many) in (100..).zip([1, 2]) {
        dm = add(ctx, &dm, i * many); // 100 + 202
    }
    dm.to_hbm(&mut ctx.tdma)
}

// Patterns.

const LOW: i32 = 5;
const MIDDLE: i32 = 20;

fn class(n: i32) -> i32 {
    match n {
        i32::MIN..=-1 => 1,
        0 | 1 => 2,
        LOW => 3,
        k @ 2..=9 if k % 2 == 0 => k * 100,
        2..=9 => 4,
        MIDDLE.. => 5,
        other => other,
    }
}

#[device(chip = 1)]
pub fn patterns_of_numbers(ctx: &mut Context, x: &Hbm) -> Hbm {
    let all = [-7, 1, 5, 4, 7, 33, 12];
    let mut n = 0;
    for v in all {
        n += class(v);
    }
    let letter = |c: char| match c {
        'a'..='m' => 1000,
        'n'..='z' => 2000,
        'A' | '\u{e9}' => 3000,
        _ => 4000,
    };
    n += letter('q') + letter('b') + letter('é') + letter('\n');
    n += match "slow" {
        "fast" => 1,
        "slow" => 20000,
        _ => 3,
    };
    plus(ctx, x, n + (b'A' as i32) + ('b' as u32 as i32) + (b'\n' as i32))
}

struct Point {
    at: (i32, i32),
    rest: [i32; 4],
}

#[device(chip = 1)]
pub fn patterns_of_parts(ctx: &mut Context, x: &Hbm) -> Hbm {
    let p = Point { at: (1, 2), rest: [3, 4, 5, 6] };
    let Point { at: (a, b), rest: [first, .., last] } = p;
    let [head, tail @ ..] = [10, 20, 30];
    let (one, .., three) = (100, 200, 300);
    let n = match (a, last) {
        (LOW, _) => 5000,
        (1, 6) if tail.len() == 2 => 1000,
        _ => 0,
    };
    let Some(k) = Some(7) else { panic!("there is one") };
    let m = if let (2, w) = (b, 8) { w } else { 0 };
    plus(ctx, x, n + a + b + first + last + head + tail[1] + one + three + k + m)
}

// Enums.

#[derive(Clone, Copy, PartialEq, Debug)]
enum Mode {
    Plain,
    Scaled(i32),
    Between { low: i32, high: i32 },
}
#[repr(u8)]
enum Level {
    Low = 3,
    Middle,
    High = 10,
}
use Mode::{Between, Scaled};

impl Mode {
    const ALL: usize = 3;
    fn number(&self) -> i32 {
        match self {
            Mode::Plain => 1,
            Scaled(by) => 10 * by,
            Self::Between { low, high } => high - low,
        }
    }
    fn is_plain(self) -> bool {
        matches!(self, Mode::Plain)
    }
}

#[device(chip = 1)]
pub fn enums_decide(ctx: &mut Context, x: &Hbm) -> Hbm {
    let modes = [Mode::Plain, Scaled(4), Between { low: 2, high: 9 }];
    let mut n = modes.iter().map(|m| m.number()).sum::<i32>();
    if modes[0].is_plain() && !modes[1].is_plain() && modes[1] != Scaled(5) && modes[1] == Mode::Scaled(4) {
        n += 100;
    }
    plus(ctx, x, n + Mode::ALL as i32 + Level::Middle as i32 * 1000 + Level::High as i32)
}

fn half(n: i32) -> Option<i32> {
    if n % 2 == 0 { Some(n / 2) } else { None }
}
fn quarter(n: i32) -> Option<i32> {
    let h = half(n)?;
    half(h)
}

#[device(chip = 1)]
pub fn options_are_followed(ctx: &mut Context, x: &Hbm) -> Hbm {
    let n = quarter(20).unwrap_or(-1) * 100 + quarter(6).unwrap_or(-1);
    let m = half(8).map(|h| h + 1).and_then(half).unwrap_or(50);
    let mut k = 0;
    if let Some(q) = quarter(40) {
        k = q;
    }
    plus(ctx, x, n + m + k + 7_i32.checked_sub(3).map_or(0, |d| d * 1000))
}

// Structures, impls and traits.

struct Tile<const N: usize = 4>;
impl<const N: usize> Tile<N> {
    const TWICE: usize = N * 2;
    fn new() -> Self {
        Self
    }
    fn factor(&self) -> i32 {
        (Self::TWICE + N) as i32
    }
}

#[derive(Clone)]
struct Counter {
    now: i32,
    step: i32,
}
impl Counter {
    fn next(&mut self) -> i32 {
        self.now += self.step;
        self.now
    }
    fn with_step(self, step: i32) -> Self {
        Self { step, ..self }
    }
}
fn advance(c: &mut Counter, times: usize) {
    for _ in 0..times {
        c.next();
    }
}

#[device(chip = 1)]
pub fn structures_count(ctx: &mut Context, x: &Hbm) -> Hbm {
    let mut c = Counter { now: 0, step: 2 };
    advance(&mut c, 3);
    let mut d = c.clone().with_step(10);
    let first = d.next();
    let t: Tile = Tile::new();
    plus(ctx, x, c.now + first * 10 + Tile::<8>::new().factor() + t.factor() * 1000 + Tile::<5>::TWICE as i32)
}

trait Config {
    const WIDTH: usize;
    const STEP: i32 = 1;
    const BOTH: i32 = Self::STEP * 100 + Self::WIDTH as i32;
    type Slices;
    type Inside;
    fn extra() -> i32 {
        Self::STEP + 1
    }
}
struct Small;
struct Large;
impl Config for Small {
    const WIDTH: usize = 8;
    type Slices = m![A / 8];
    type Inside = m![A % 8];
}
impl Config for Large {
    const WIDTH: usize = 16;
    const STEP: i32 = 7;
    type Slices = m![A / { Self::WIDTH } # 256];
    type Inside = m![A % Self::WIDTH];
    fn extra() -> i32 {
        <Self as Config>::BOTH * 2
    }
}

fn configured<C: Config>(ctx: &mut Context, x: &Hbm) -> Hbm {
    let dm: DmTensor<i32, Chip, Cluster, C::Slices, <C as Config>::Inside> = x.to_dm(&mut ctx.tdma);
    let out: DmTensor<i32, Chip, Cluster, C::Slices, C::Inside> = ctx
        .main
        .begin(dm.view())
        .fetch::<m![A / 8 % { C::WIDTH / 8 }], m![A % 8]>()
        .collect::<m![A / 8 % { C::WIDTH / 8 }], m![A % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_fxp(FxpBinaryOp::AddFxp, C::BOTH + C::extra())
        .vector_final()
        .commit();
    out.to_hbm(&mut ctx.tdma)
}

#[device(chip = 1)]
pub fn trait_of_sizes(ctx: &mut Context, x: &Hbm) -> (Hbm, Hbm) {
    let small = configured::<Small>(ctx, x);
    let large = configured::<Large>(ctx, x);
    (small, large)
}

trait Step {
    fn by(&self) -> i32;
    fn apply(&self, ctx: &mut Context, x: &Dm) -> Dm {
        add(ctx, x, self.by())
    }
}
struct One;
struct Many(i32, [i32; 2]);
impl Step for One {
    fn by(&self) -> i32 {
        1
    }
}
impl Step for Many {
    fn by(&self) -> i32 {
        self.0 * self.1[1]
    }
}
fn chained<S: Step, T>(ctx: &mut Context, x: &Dm, s: &S, t: &T) -> Dm
where
    T: Step,
{
    let first = s.apply(ctx, x);
    t.apply(ctx, &first)
}

#[device(chip = 1)]
pub fn trait_with_defaults(ctx: &mut Context, x: &Hbm) -> Hbm {
    let dm = load(ctx, x);
    let out = chained(ctx, &dm, &One, &Many(3, [5, 7]));
    out.to_hbm(&mut ctx.tdma)
}

/// A trait of one's own on the vendor's tensors.
trait Plus {
    fn plus(&self, ctx: &mut Context, n: i32) -> Self;
}
impl Plus for Dm {
    fn plus(&self, ctx: &mut Context, n: i32) -> Self {
        add(ctx, self, n)
    }
}
trait Unit {
    const UNIT: i32;
    fn of(n: i32) -> i32;
}
impl Unit for i32 {
    const UNIT: i32 = 1;
    fn of(n: i32) -> i32 {
        n
    }
}
impl Unit for f32 {
    const UNIT: i32 = 1000;
    fn of(n: i32) -> i32 {
        n * Self::UNIT
    }
}
fn units<T: Unit>() -> i32 {
    T::of(2) + T::UNIT
}

#[device(chip = 1)]
pub fn trait_on_tensors(ctx: &mut Context, x: &Hbm) -> Hbm {
    let dm = load(ctx, x);
    let out = dm.plus(ctx, 3).plus(ctx, units::<f32>() + units::<i32>());
    out.to_hbm(&mut ctx.tdma)
}

// Generics and constants.

const fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
const SIZES: [usize; 4] = [3, 1 << 4, 0x20, 0b100_0000];
const TOTAL: usize = {
    let mut sum = 0;
    let mut i = 0;
    while i < SIZES.len() {
        sum += SIZES[i];
        i += 1;
    }
    sum
};
fn sized<const N: usize, const UP: bool>() -> i32 {
    if UP { N as i32 } else { -(N as i32) }
}
fn longer<'a, T: ?Sized>(a: &'a [i32], b: &'a [i32]) -> &'a [i32]
where
    T: 'a,
{
    if a.len() > b.len() { a } else { b }
}

#[device(chip = 1)]
pub fn constants_are_computed(ctx: &mut Context, x: &Hbm) -> Hbm {
    const HERE: i32 = TOTAL as i32 * 2;
    let n = sized::<{ 2 * 3 + 1 }, true>() + sized::<{ gcd(48, 36) }, { HERE < 0 }>();
    let l = longer::<i32>(&[1, 2, 3], &[4, 5]);
    plus(ctx, x, HERE + n * 1000 + l[2] + const { gcd(35, 21) as i32 })
}

#[device(chip = 1)]
pub fn numbers_are_those_of_rust(ctx: &mut Context, x: &Hbm) -> Hbm {
    let a = (300_i32 as u8) as i32 + (200_u8 as i8) as i32; // 44 - 56
    let b = 250_u8.wrapping_add(10) as i32 + 250_u8.saturating_add(10) as i32; // 4 + 255
    let c = (-7_i32).rem_euclid(4) * 1000 + (-7 / 2) + (-7 % 4); // 1 000 - 3 - 3
    let d = 1e3 as i32 + (2.9_f32 as i32) + (-1.5_f64).floor() as i32; // 1000 + 2 - 2
    let e = (!0b1010_i32 & 0xff) + (1 << 10) + (-16 >> 2); // 245 + 1024 - 4
    let f = 40_u32.leading_zeros() as i32 + 12_u32.trailing_zeros() as i32 + 0xff_u8.count_ones() as i32; // 26 + 2 + 8
    let g = 10_i32.pow(4) + 5_i32.abs_diff(9) as i32 + 17_usize.div_ceil(5) as i32 + 9_i32.clamp(0, 6) + (-3_i32).signum(); // 10000 + 4 + 4 + 6 - 1
    plus(ctx, x, a + b + c + d + e + f + g)
}

#[device(chip = 1)]
pub fn shifts_lose_bits(ctx: &mut Context, x: &Hbm) -> Hbm {
    const SIGN: i32 = 1 << 31;
    let a = (SIGN >> 28) + (0xF << 28 >> 28); // -8 - 1
    let b = (0x81_u8 << 1) as i32 + (1_u32 << 31 >> 29) as i32; // 2 + 4
    let c = 3_i32.wrapping_shl(33) + (-64_i32).wrapping_shr(2) + (-1_i32).pow(101); // 6 - 16 - 1
    let d = (-8_i32).trailing_zeros() as i32 + 0_u16.trailing_zeros() as i32 + f32::NAN.max(2.0) as i32; // 3 + 16 + 2
    plus(ctx, x, a + b + c + d)
}

#[device(chip = 1)]
pub fn elements_are_rounded(ctx: &mut Context, x: &Hbm) -> Hbm {
    let tenth = (bf16::from_f32(0.1).to_f32() * 1e6) as i32; // 0.10009765625
    let one = f8e4m3::from_bits(0x38).to_f32() as i32 + bf16::ONE.to_f32() as i32 + (bf16::MAX.to_f32() > 3.38e38) as i32; // 1 + 1 + 1
    let called = i32::pow(3, 2) + u32::count_ones(7) as i32; // 9 + 3
    plus(ctx, x, tenth + one + called)
}

/// Its length is said once; the second field of the structure by a generic of the call.
struct Shifted<const BY: i32>(i32);
impl<const BY: i32> Shifted<BY> {
    fn sum(&self) -> i32 {
        self.0 + BY
    }
}
#[derive(Default, Clone)]
struct Settings {
    scale: i32,
    steps: [u8; 3],
    on: bool,
    limits: (i64, f32),
}
enum Tree {
    Leaf(i32),
    Both(Box<Tree>, Box<Tree>),
}
fn leaves(t: &Tree) -> i32 {
    match t {
        Tree::Leaf(n) => *n,
        Tree::Both(a, b) => leaves(a) + leaves(b),
    }
}

#[device(chip = 1)]
pub fn values_are_made(ctx: &mut Context, x: &Hbm) -> Hbm {
    const SQUARES: [i32; 4] = [0, 1, 4, 9];
    let squares: [i32; B::SIZE / 2] = std::array::from_fn(|i| (i * i) as i32);
    let cubes = core::array::from_fn::<_, 3, _>(|i| (i * i * i) as i32);
    assert!(squares == SQUARES && cubes[2] == 8);
    let s = Settings { scale: 7, ..Default::default() };
    let none = Settings::default();
    let tree = Tree::Both(Box::new(Tree::Leaf(20)), Box::new(Tree::Both(Box::new(Tree::Leaf(3)), Box::new(Tree::Leaf(4)))));
    let kept = Some(5).filter(|n| *n > 5).or(Some(6)).unwrap_or(0) + Some(Some(2)).flatten().unwrap_or(9);
    let failed: Result<i32, &str> = Err("four");
    let n = s.scale + s.steps.len() as i32 + none.scale + (s.on || none.limits.1 > 0.0) as i32 + s.limits.0 as i32; // 7 + 3
    let by_words = failed.unwrap_or_else(|why| if why == "four" { 4 } else { 0 });
    let bits = u8::BITS as i32 + usize::BITS as i32 + i32::default(); // 8 + 64
    plus(ctx, x, n + squares[3] * 100 + Shifted::<50>(8).sum() * 1000 + leaves(&tree) * 100_000 + (kept + by_words + bits) * 10_000_000)
}

/// More than 32 bits hold.
const FAR: usize = 1 << 33;
const SIGN: usize = 1 << 31;
const MANY: usize = 65536 * 65536;

#[device(chip = 1)]
pub fn numbers_are_large(ctx: &mut Context, x: &Hbm) -> Hbm {
    let shift = 32;
    let more = (FAR + (1 << shift)) >> 30; // 12
    plus(ctx, x, (FAR / (1 << 30)) as i32 + (MANY >> 30) as i32 * 100 + (SIGN / 1_000_000_000) as i32 * 1000 + more as i32 * 10_000)
}

// Macros.

macro_rules! count {
    () => { 0 };
    ($head:tt $($tail:tt)*) => { 1 + count!($($tail)*) };
}
macro_rules! sum {
    ($($x:expr),* $(,)?) => {{ let mut s = 0; $( s += $x; )* s }};
}
macro_rules! table {
    ($name:ident : $t:ty = { $($key:ident => [$($v:literal),*]);+ $(;)? }) => {
        const $name: $t = 0 $( + sum_of!(stringify!($key), $($v),*) )+;
    };
}
macro_rules! sum_of {
    ($key:expr, $($v:literal),*) => { (0 $( + $v )*) };
}
table!(WEIGHTS: i32 = { low => [1, 2]; high => [30, 40, 50]; });

macro_rules! kernels {
    ($( $(#[$meta:meta])* $vis:vis $name:ident adds $n:expr ; )*) => {
        $(
            $(#[$meta])*
            #[device(chip = 1)]
            $vis fn $name(ctx: &mut Context, x: &Hbm) -> Hbm {
                let s = 1; // not the s of sum!
                plus(ctx, x, sum![$n, s])
            }
        )*
    };
}
kernels! {
    /// Written by a macro.
    pub macro_adds_ten adds 10;
    #[inline]
    macro_adds_product adds 6 * 7;
}

#[device(chip = 1)]
pub fn macros_repeat(ctx: &mut Context, x: &Hbm) -> Hbm {
    let n = sum!(1, count!(a b (c d) [e]), 2 * 3,);
    plus(ctx, x, n * 1000 + WEIGHTS)
}

// Names.

mod outer {
    pub mod inner {
        pub(in crate::outer) const HIDDEN: i32 = 3;
        pub const SHOWN: i32 = 40;
        pub fn shown() -> i32 {
            super::doubled(HIDDEN) + self::SHOWN
        }
    }
    fn doubled(n: i32) -> i32 {
        n * 2
    }
    pub use inner::SHOWN as RENAMED;
    pub use self::inner::shown as again;
    pub mod prelude {
        pub use super::*;
        pub use crate::outer::inner::*;
    }
}

#[device(chip = 1)]
pub fn names_are_brought_in(ctx: &mut Context, x: &Hbm) -> Hbm {
    use outer::inner::{self, shown as inner_shown};
    use outer::{prelude::*, RENAMED};
    let n = again() + inner_shown() * 100 + inner::SHOWN * 10_000;
    plus(ctx, x, n + RENAMED + SHOWN)
}

#[device(chip = 1)]
pub fn names_are_shadowed(ctx: &mut Context, x: &Hbm) -> Hbm {
    let n = 1;
    let n = n + 1;
    {
        let n = 50;
        let _ = n;
    }
    let add = n * 3; // not the function
    let n = if let Some(n) = Some(n * 10) { n } else { n };
    plus(ctx, x, n + add)
}

// What is decided late.

#[device(chip = 1)]
pub fn declared_before_it_is_made(ctx: &mut Context, x: &Hbm) -> Hbm {
    let dm: Dm;
    let by;
    if B::SIZE == 8 {
        dm = x.to_dm(&mut ctx.tdma);
        by = 9;
    } else {
        dm = DmTensor::new();
        by = 1;
    }
    let out = add(ctx, &dm, by);
    #[cfg(test)]
    let out = add(ctx, &out, 1000);
    #[cfg(feature = "no_such_feature")]
    compile_error!("not this one");
    let n = if cfg!(feature = "no_such_feature") { 5000 } else { 20 };
    #[cfg(any(feature = "no_such_feature", not(feature = "other")))]
    {
        add(ctx, &out, n).to_hbm(&mut ctx.tdma)
    }
    #[cfg(not(any(feature = "no_such_feature", not(feature = "other"))))]
    {
        out.to_hbm(&mut ctx.tdma)
    }
}

#[cfg_attr(not(feature = "no_such_feature"), device(chip = 1))]
pub fn marked_by_a_condition(ctx: &mut Context, x: &Hbm) -> Hbm {
    assert!(x_is_fine("r\"aw"), "text of {} is not read", r#"an "assert""#);
    debug_assert_eq!(1, 1);
    plus(ctx, x, 17)
}
fn x_is_fine(name: &str) -> bool {
    name != r"other" && b"bytes" == b"bytes"
}

/// Generic, and called by the next one.
#[device(chip = 1)]
pub fn generic_kernel<const N: usize, C: Config>(ctx: &mut Context, x: &Hbm) -> Hbm
where
    [(); N]:,
{
    plus(ctx, x, N as i32 + C::WIDTH as i32 * 100)
}

#[device(chip = 1)]
pub fn calls_a_generic_kernel(ctx: &mut Context, x: &Hbm) -> Hbm {
    let first = generic_kernel::<3, Small>(ctx, x);
    generic_kernel::<4, Large>(ctx, &first)
}

// Code for the host, which is passed over.

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("cannot load {0:?}")]
    Load(#[from] std::io::Error),
}
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {:>8.3})", self.at.0, self.at.1)
    }
}
pub struct Session<'a, T: ?Sized + 'a> {
    name: std::borrow::Cow<'a, str>,
    back: Box<dyn Fn(&T) -> Result<(), Failure> + Send + 'a>,
}
impl<'a, T: ?Sized> Session<'a, T> {
    pub async fn run(&self, values: &[f32]) -> Result<Vec<f32>, Failure> {
        let out = tokio::spawn(async move { Ok::<_, Failure>(()) }).await.map_err(|e| Failure::Load(e.into()))??;
        Ok(values.iter().map(|v| v.max(0.0)).collect())
    }
}
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = format!("{name:>width$}\n{{}}", name = "x", width = 8);
    let r: &'static str = r##"a raw "# string"##;
    unsafe { std::ptr::read_volatile(&raw const text) };
    println!("{text} {r} {}", '\'');
    Ok(())
}
#[cfg(test)]
mod tests {
    use super::*;
    #[tokio::test]
    async fn adds() {
        assert_eq!(twice(2), 4);
    }
}
