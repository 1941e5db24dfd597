// Macros that make kernels, axes and parts of mappings.
use vendor_std::prelude::*;

macro_rules! across {
    ($axis:ident, $n:expr) => { m![$axis / $n # 256] };
}

macro_rules! unary {
    ($name:ident, $op:expr, $axis:ident = $size:literal) => {
        pub mod $name {
            use super::*;
            axes![$axis = $size];
            type Slice = across!($axis, 8);

            #[device(chip = 1)]
            pub fn $name(ctx: &mut Context, x: &HbmTensor<f32, m![1], m![$axis]>) -> HbmTensor<f32, m![1], m![$axis]> {
                let dm = x.to_dm::<m![1 # 2], Slice, m![$axis % 8]>(&mut ctx.tdma);
                let y: DmTensor<f32, m![1], m![1 # 2], Slice, m![$axis % 8]> = vector_pass!(ctx, dm, $axis, $op);
                y.to_hbm(&mut ctx.tdma)
            }
        }
    };
}

macro_rules! vector_pass {
    ($ctx:ident, $x:ident, $axis:ident, $op:expr) => {{
        let stream = $ctx.main.begin($x.view()).fetch::<m![1], m![$axis % 8]>().collect::<m![1], m![$axis % 8]>();
        stream
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_narrow_split::<m![$axis / 4 % 2], m![$axis % 4]>()
            .vector_fp_unary($op)
            .vector_widen_concat::<m![1], m![$axis % 8]>()
            .vector_final()
            .commit()
    }};
}

unary!(exponential, FpUnaryOp::Exp, A = 2048);
unary!(root, FpUnaryOp::Sqrt, N = 1024);
unary!(sigmoid, FpUnaryOp::Sigmoid, LongNameOfAnAxis = 2048);

macro_rules! total {
    ($first:expr $(, $more:expr)*) => { $first $(+ $more)* };
}

axes![A = 2048];

#[device(chip = 1)]
fn add_total(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) -> HbmTensor<i32, m![1], m![A]> {
    const N: i32 = total!(1, 2, 3 * 4);
    let dm = x.to_dm::<m![1 # 2], m![A / 8 # 256], m![A % 8]>(&mut ctx.tdma);
    let dm: DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]> = ctx
        .main
        .begin(dm.view())
        .fetch::<m![1], m![A % 8]>()
        .collect::<m![1], m![A % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_fxp(FxpBinaryOp::AddFxp, N)
        .vector_final()
        .commit();
    dm.to_hbm(&mut ctx.tdma)
}
