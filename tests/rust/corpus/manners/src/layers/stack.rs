use super::super::{Chip, Dm, Hbm, A};
use super::*;
use furiosa_visa_std::prelude::*;

/// Layers of a model, as a tuple structure with an array in it.
pub struct Stack<const N: usize>(pub [i32; N], pub &'static str);

impl<const N: usize> Stack<N> {
    fn total(&self) -> i32 {
        self.0.iter().sum()
    }
    fn each<F: FnMut(usize, i32)>(&self, mut f: F) {
        for (i, v) in self.0.iter().enumerate() {
            f(i, *v);
        }
    }
}

#[device(chip = 1)]
pub fn by_layers(ctx: &mut Context, x: &Hbm) -> Hbm {
    let stack = Stack([1, 2, 3], "three");
    let mut weighted = 0;
    stack.each(|i, v| weighted += (i as i32 + 1) * v * 2);
    plus!(ctx, x, stack.total() + weighted + (DEPTH - 77) / 2)
}
