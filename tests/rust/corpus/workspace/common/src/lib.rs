//! What the kernels of the workspace share: axes, layouts, a generic device function, a macro.
use furiosa_opt_std::prelude::*;

axes![Token = 256, Hidden = 64, Layer = 3];

pub type Chip = m![1];
pub type Cluster = m![1 # 2];
pub type Tokens = m![Token];
pub type State = DmTensor<f32, Chip, Cluster, Tokens, m![Hidden]>;
pub type Stored = HbmTensor<f32, Chip, m![Token, Hidden]>;

pub struct Weights<E: M> {
    pub scale: HbmTensor<f32, Chip, E>,
    pub shift: HbmTensor<f32, Chip, E>,
}

pub struct Model {
    pub layers: [Weights<m![Token, Hidden]>; 3],
    pub steps: usize,
}

#[macro_export]
macro_rules! pass {
    ($device:expr, $x:expr) => {
        $device
            .main
            .begin($x.view())
            .fetch::<m![Hidden / 8], m![Hidden % 8]>()
            .collect::<m![Hidden / 8], m![Hidden % 8]>()
            .vector_init()
            .vector_intra_slice_tag(TagMode::Zero)
    };
}

/// Generic: read where it is called, with the scalar and the element that its argument has.
#[device(chip = 1)]
pub fn kept<D: Scalar, E: M>(device: &mut Device, x: &DmTensor<D, Chip, Cluster, Tokens, E>) -> VrfTensor<D, Chip, Cluster, Tokens, E>
where
    D: Clone,
{
    device.sub.begin(x.view()).fetch::<m![E / 8], m![E % 8]>().collect::<m![E / 8], m![E % 8]>().to_vrf()
}
