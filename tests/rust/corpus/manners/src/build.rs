/// x + n, through one pass.
macro_rules! plus {
    ($ctx:expr, $x:expr, $n:expr) => {{
        let dm: $crate::Dm = $x.to_dm(&mut $ctx.tdma);
        let sum: $crate::Dm = $ctx
            .main
            .begin(dm.view())
            .fetch::<m![1], m![A % 8]>()
            .collect::<m![1], m![A % 8]>()
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
            .vector_fxp(FxpBinaryOp::AddFxp, $n)
            .vector_final()
            .commit();
        sum.to_hbm(&mut $ctx.tdma)
    }};
}
