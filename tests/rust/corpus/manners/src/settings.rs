use crate::layers;

pub const WIDTH: usize = 64;

#[derive(Clone, Copy)]
pub struct Setting {
    value: i32,
}
impl Setting {
    pub const ONE: i32 = Self::of(layers::DEPTH).value / 3;
    pub const fn of(value: i32) -> Self {
        Setting { value }
    }
    pub fn new(by: i32) -> Self {
        Self::of(by)
    }
    pub fn squared(&self) -> i32 {
        self.value * self.value
    }
}
