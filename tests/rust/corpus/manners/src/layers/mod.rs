//! Names its parent, which names it.
pub mod stack;
pub(crate) use crate::settings::Setting;

pub const DEPTH: i32 = 81;

/// Far from the type.
impl Setting {
    pub fn cubed(self) -> i32 {
        self.squared() * 2
    }
}
