axes![A = 2048];
type S = m![A / 8];
macro_rules! n { ($x:expr) => { $x + 1 }; }
fn f<E: M>(ctx: &mut Context, x: &DmTensor<i32, m![1], m![1 # 2], S, E>) -> DmTensor<i32, m![1], m![1 # 2], S, E> {
  ctx.main.begin(x.view()).fetch::<m![1], E>().collect::<m![1], E>().vector_init().vector_intra_slice_tag(TagMode::Zero)
    .vector_fxp(FxpBinaryOp::AddFxp, n!(2)).vector_final().commit()
}
#[device(chip = 1)]
fn k(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) -> HbmTensor<i32, m![1], m![A]> {
  let mut y: DmTensor<i32, m![1], m![1 # 2], S, m![A % 8]> = x.to_dm(&mut ctx.tdma);
  for i in 0..2 { if i == 1 { y = f(ctx, &y); } }
  y.to_hbm(&mut ctx.tdma)
}
