use furiosa_opt_std::prelude::*;
use my_common::{pass, *};

mod layer;

/// x * scale + shift, layer by layer.
#[device(chip = 1, pe = 8)]
pub fn forward(device: &mut Device, x: &Stored, model: &Model) -> Stored {
    let mut state: State = x.to_dm(&mut device.tdma);
    #[unroll]
    for i in 0..Layer::SIZE {
        let weights = &model.layers[i];
        state = layer::affine(device, &state, &weights.scale, &weights.shift);
    }
    state.to_hbm(&mut device.tdma)
}

/// As many layers as the launch asks for, the last ones first.
#[device(chip = 1, pe = 8)]
pub fn backward(device: &mut Device, x: &Stored, model: &Model) -> (Stored, Stored) {
    let state: State = x.to_dm(&mut device.tdma);
    let mut states = [state.clone(), state];
    for i in (0..model.steps.min(Layer::SIZE)).rev() {
        let Weights { scale, shift } = &model.layers[i];
        let to = i % 2;
        states[to] = layer::affine(device, &states[1 - to], scale, shift);
    }
    let [even, odd] = states;
    (even.to_hbm(&mut device.tdma), odd.to_hbm(&mut device.tdma))
}
