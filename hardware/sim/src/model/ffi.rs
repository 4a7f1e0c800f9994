//! The C interface of the models: the only unsafe code of this crate.
#![expect(unsafe_code, reason = "the models are C++")]

use std::ffi::c_void;
use std::ptr::NonNull;

use crate::form::{Form, built, mutants};

/// The ports of one engine, in the layout of `shim.cpp`.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub struct Ports {
    /// TDATA in: eight bytes, byte 0 lowest.
    pub in_data: u64,
    /// TDATA out: the fingerprint.
    pub out_data: u64,
    /// TID in.
    pub in_id: u16,
    /// TID out.
    pub out_id: u16,
    /// TVALID in.
    pub in_valid: u8,
    /// TKEEP in.
    pub in_keep: u8,
    /// TLAST in.
    pub in_last: u8,
    /// TDEST in: the core.
    pub in_dest: u8,
    /// TREADY of the input, an output of the engine.
    pub in_ready: u8,
    /// TVALID out.
    pub out_valid: u8,
    /// TUSER out: bit 0 overflow, bit 1 no words.
    pub out_user: u8,
    /// TREADY of the output, an input of the engine.
    pub out_ready: u8,
}

/// The functions of one form.
#[derive(Clone, Copy)]
struct Functions {
    new: unsafe extern "C" fn(u32) -> *mut c_void,
    delete: unsafe extern "C" fn(*mut c_void),
    cycle: unsafe extern "C" fn(*mut c_void, *mut Ports, usize, u8),
}

include!(concat!(env!("OUT_DIR"), "/models.rs"));

/// A simulated engine, or several.
pub struct Model {
    simulation: NonNull<c_void>,
    functions: Functions,
    engines: usize,
}

impl Model {
    /// The model of a form that is built in, with registers and RAM in an unknown state that `seed`
    /// chooses; all zero for seed 0.
    ///
    /// # Panics
    /// If the form is not built in.
    pub fn new(form: &Form, seed: u32) -> Model {
        let forms = [built(), mutants()].concat();
        let number = forms.iter().position(|one| one.name == form.name);
        let functions = FUNCTIONS[number.expect("the form is built in (see the features)")];
        // SAFETY: `new` has no precondition. It allocates, so the pointer is not null unless the
        // allocation threw, which ends the process.
        let simulation = unsafe { (functions.new)(seed) };
        let simulation = NonNull::new(simulation).expect("a model was made");
        Model { simulation, functions, engines: form.engines }
    }

    /// Sets the inputs, reads the outputs as they are before the clock's edge, and gives the edge.
    ///
    /// # Panics
    /// If there are not as many ports as engines.
    pub fn cycle(&mut self, ports: &mut [Ports], reset: bool) {
        assert_eq!(ports.len(), self.engines, "one set of ports for each engine");
        // SAFETY: the pointer came from `new` of the same form and is alive until `drop`; `ports`
        // has as many elements as it says (checked above) in the layout of the C++ struct
        // (`repr(C)`); the call keeps no pointer.
        unsafe {
            (self.functions.cycle)(
                self.simulation.as_ptr(),
                ports.as_mut_ptr(),
                ports.len(),
                u8::from(reset),
            );
        }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: the pointer came from `new` of the same form, and is not used again.
        unsafe { (self.functions.delete)(self.simulation.as_ptr()) }
    }
}
