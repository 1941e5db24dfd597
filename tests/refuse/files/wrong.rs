// Two kernels, three errors.
axes![A = 2048];

#[device(chip = 1)]
fn first(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) {
    x.to_dm::<m![1 # 2], m![A / 7], m![A % 8]>(&mut ctx.tdma);
    x.to_dn(&mut ctx.tdma);
}

#[device(chip = 1)]
fn second(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![B]>) {}
