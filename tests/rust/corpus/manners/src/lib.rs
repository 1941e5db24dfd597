//! A crate in several files: features, a file that is included, modules that name each other, an impl far from its type.
#[macro_use]
mod build;
pub mod layers;
mod settings;

use furiosa_visa_std::prelude::*;
pub use layers::stack::{by_layers, Stack};
use settings::{Setting, WIDTH};

axes![A = 2048];
pub type Chip = m![1];
pub type Hbm = HbmTensor<i32, Chip, m![A]>;
pub type Dm = DmTensor<i32, Chip, m![1 # 2], m![A / 8], m![A % 8]>;

include!("included.in");

#[cfg(feature = "wide")]
const FACTOR: usize = 16;
#[cfg(not(feature = "wide"))]
const FACTOR: usize = 4;

#[cfg(all(feature = "wide", not(feature = "narrow")))]
#[device(chip = 1)]
pub fn wide(ctx: &mut Context, x: &Hbm) -> Hbm {
    plus!(ctx, x, (WIDTH * FACTOR + 40) as i32)
}
#[cfg(feature = "narrow")]
#[device(chip = 1)]
pub fn wide(ctx: &mut Context, x: &Hbm) -> Hbm {
    plus!(ctx, x, 1)
}

#[device(chip = 1)]
pub fn impl_elsewhere(ctx: &mut Context, x: &Hbm) -> Hbm {
    let s = Setting::new(2);
    plus!(ctx, x, s.squared() * 100 + s.cubed() + s.squared() * Setting::ONE)
}
