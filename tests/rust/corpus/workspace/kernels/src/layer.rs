use super::*;
use my_common::kept as keep_in_registers;

pub(super) fn affine(device: &mut Device, x: &State, scale: &Stored, shift: &Stored) -> State {
    let scale = scale.to_dm(&mut device.tdma);
    let shift: State = shift.to_dm(&mut device.tdma);
    let (scale, shift) = (keep_in_registers::<f32, m![Hidden]>(device, &scale), keep_in_registers(device, &shift));
    pass!(device, x)
        .vector_narrow_split::<m![Hidden / 4], m![Hidden % 4]>()
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), &scale)
        .vector_widen_concat::<m![Hidden / 8], m![Hidden % 8]>()
        .vector_clip(ClipBinaryOpF32::Add, &shift)
        .vector_final()
        .commit()
}
