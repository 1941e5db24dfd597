//! Operations. The module `scale` and the function `scale` share a name.
mod bias;
pub mod scale;

pub use bias::*;
pub use scale::scale;

use crate::axes::*;
use furiosa_opt_std::prelude::*;

macro_rules! elementwise {
    ($ctx:expr, $x:expr, |$stream:ident| $body:expr) => {{
        let $stream = $ctx
            .main
            .begin($x.view())
            .fetch::<m![Feature / 8], m![Feature % 8]>()
            .collect::<m![Feature / 8], m![Feature % 8]>()
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero);
        $body.vector_final().commit()
    }};
}
pub(crate) use elementwise;

#[device(chip = 1)]
pub fn scale_then_bias(ctx: &mut Context, x: &Activations, by: &Activations) -> Activations {
    let x: OnChip = x.to_dm(&mut ctx.tdma);
    let by: OnChip = by.to_dm(&mut ctx.tdma);
    let scaled = scale(ctx, &x, 0.5);
    let sum = bias(ctx, &scaled, &by);
    sum.to_hbm(&mut ctx.tdma)
}
