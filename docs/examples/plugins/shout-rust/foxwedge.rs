//! The C headers in Rust: the four kinds and the services. No crates, Rust 1.63.
//! `Option<fn>` is a function that may be NULL; struct sizes are checked by the host.
#![allow(non_camel_case_types, dead_code)]
use std::os::raw::{c_char, c_void};

pub const OK: i32 = 0;
pub const PARKED: i32 = 1;
pub const INVALID: i32 = -1;
pub const UNSUPPORTED: i32 = -2;
pub const TRANSIENT: i32 = -3;
pub const FAILED: i32 = -4;
pub const CANCELLED: i32 = -5;
pub const INTERNAL: i32 = -6;
pub const UNKNOWN: i32 = -7;

pub const CONCURRENT: u32 = 1;
pub const KIND_CAPABILITY: &str = "foxwedge.capability/1";
pub const KIND_PROVIDER: &str = "foxwedge.provider/1";
pub const KIND_GUARDRAIL: &str = "foxwedge.guardrail/1";
pub const KIND_CONTEXT_STRATEGY: &str = "foxwedge.context-strategy/1";
pub const INPUT: u32 = 1;
pub const TOOL_ARGS: u32 = 2;
pub const TOOL_RESULT: u32 = 4;
pub const OUTPUT: u32 = 8;
pub const TOOL_DEFINITION: u32 = 16;
pub const EVENT_TEXT: u32 = 1;
pub const EVENT_REASONING: u32 = 2;
pub const EVENT_TOOL_CALL: u32 = 3;
pub const EVENT_USAGE: u32 = 4;
pub const EVENT_PROGRESS: u32 = 5;
pub const EVENT_LOG: u32 = 6;
pub const LOG_ERROR: u32 = 1;
pub const LOG_WARN: u32 = 2;
pub const LOG_INFO: u32 = 3;
pub const LOG_DEBUG: u32 = 4;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Str {
    pub data: *const c_char,
    pub size: usize,
}

pub const fn text(s: &str) -> Str {
    Str { data: s.as_ptr() as *const c_char, size: s.len() }
}

impl Str {
    /// # Safety
    /// The host must still lend `self`.
    pub unsafe fn as_text<'a>(self) -> std::borrow::Cow<'a, str> {
        String::from_utf8_lossy(self.as_bytes())
    }
    /// # Safety
    /// The host must still lend `self`.
    pub unsafe fn as_bytes<'a>(self) -> &'a [u8] {
        if self.size == 0 {
            return &[];
        }
        std::slice::from_raw_parts(self.data as *const u8, self.size)
    }
}

#[repr(C)]
pub struct Host {
    pub struct_size: u32,
    pub abi_minor: u32,
    pub host_data: *mut c_void,
    pub service: extern "C" fn(*const Host, Str) -> *const c_void,
}

impl Host {
    /// The struct of a service, NULL where the host does not offer it.
    pub fn service_of<T>(&self, id: &str) -> *const T {
        (self.service)(self, text(id)) as *const T
    }
    pub fn log(&self) -> *const Log {
        self.service_of("foxwedge.log/1")
    }
    pub fn http(&self) -> *const Http {
        self.service_of("foxwedge.http/1")
    }
    pub fn store(&self) -> *const Store {
        self.service_of("foxwedge.store/1")
    }
    pub fn agents(&self) -> *const Agents {
        self.service_of("foxwedge.agents/1")
    }
    pub fn wait(&self) -> *const Wait {
        self.service_of("foxwedge.wait/1")
    }
    pub fn script(&self) -> *const Script {
        self.service_of("foxwedge.script/1")
    }
    pub fn check(&self) -> *const Check {
        self.service_of("foxwedge.check/1")
    }
}

#[repr(C)]
pub struct HttpReceiver {
    pub struct_size: u32,
    pub reserved0: u32,
    pub data: *mut c_void,
    pub head: extern "C" fn(*mut c_void, Str) -> i32,
    pub chunk: extern "C" fn(*mut c_void, Str) -> i32,
    pub failed: Option<extern "C" fn(*mut c_void, Str)>,
}

#[repr(C)]
pub struct Http {
    pub struct_size: u32,
    pub reserved0: u32,
    pub host_data: *mut c_void,
    pub send: extern "C" fn(*const Call, *const Http, Str, *const HttpReceiver) -> i32,
}

/// Where a service's answer goes.
#[repr(C)]
pub struct Reply {
    pub data: *mut c_void,
    pub give: Option<extern "C" fn(*mut c_void, Str)>,
}

/// A function of a service that takes a request, and one that takes none.
pub type Ask<T> = extern "C" fn(*const Call, *const T, Str, Reply) -> i32;
pub type Next<T> = extern "C" fn(*const Call, *const T, Reply) -> i32;

/// The answer of a service as JSON text, or the status to be returned: the service has said why.
/// `answered(|reply| (store.apply)(call, store, text(request), reply))`
pub fn answered(ask: impl FnOnce(Reply) -> i32) -> Result<String, i32> {
    extern "C" fn keep(data: *mut c_void, answer: Str) {
        let kept = unsafe { &mut *(data as *mut String) };
        *kept = unsafe { answer.as_text() }.into_owned();
    }
    let mut answer = String::new();
    let reply = Reply { data: &mut answer as *mut String as *mut c_void, give: Some(keep) };
    match ask(reply) {
        OK => Ok(answer),
        status => Err(status),
    }
}

macro_rules! service {
    ($name:ident { $($function:ident: $kind:ty),+ }) => {
        #[repr(C)]
        pub struct $name {
            pub struct_size: u32,
            pub reserved0: u32,
            pub host_data: *mut c_void,
            $(pub $function: $kind,)+
        }
    };
}
service!(Log { write: extern "C" fn(*const Call, *const Log, u32, Str) });
service!(Store { apply: Ask<Store>, folder: Next<Store> });
service!(Agents { start: Ask<Agents>, next: Next<Agents>, cancel: Ask<Agents> });
service!(Wait { wait_for: Ask<Wait> });
service!(Script { start: Ask<Script>, next: Next<Script>, answer: Ask<Script>, kill: Next<Script> });
service!(Check {
    compile: Ask<Check>,
    release: Ask<Check>,
    validate: Ask<Check>,
    evaluate: Ask<Check>,
    find_secrets: Ask<Check>
});

#[repr(C)]
pub struct Call {
    pub struct_size: u32,
    pub reserved0: u32,
    pub host_data: *mut c_void,
    pub step_key: Str,
    pub context: Str,
    pub cancelled: extern "C" fn(*const Call) -> i32,
    pub time_left_ms: extern "C" fn(*const Call) -> i64,
    pub emit_event: extern "C" fn(*const Call, u32, Str) -> i32,
    pub set_result: extern "C" fn(*const Call, Str),
    pub set_error: extern "C" fn(*const Call, Str, Str, Str),
}

impl Call {
    pub fn result(&self, json: &str) {
        (self.set_result)(self, text(json))
    }
    /// Any status but OK: the host wants the call to end.
    pub fn emit(&self, event: u32, json: &str) -> i32 {
        (self.emit_event)(self, event, text(json))
    }
    /// Says why, and gives the status back to be returned.
    pub fn error(&self, status: i32, code: &str, message: &str, details: &str) -> i32 {
        (self.set_error)(self, text(code), text(message), text(details));
        status
    }
}

#[repr(C)]
pub struct Instance {
    pub struct_size: u32,
    pub flags: u32,
    pub plugin_data: *mut c_void,
    pub destroy: extern "C" fn(*mut Instance),
    pub interrupt: Option<extern "C" fn(*mut Instance, *const Call)>,
}

#[repr(C)]
pub struct Capability {
    pub base: Instance,
    pub list_tools: extern "C" fn(*mut Instance, *const Call) -> i32,
    pub run_tool: extern "C" fn(*mut Instance, Str, Str, *const Call) -> i32,
}

#[repr(C)]
pub struct Provider {
    pub base: Instance,
    pub describe: extern "C" fn(*mut Instance, *const Call) -> i32,
    pub generate: extern "C" fn(*mut Instance, Str, *const Call) -> i32,
    pub count_tokens: Option<extern "C" fn(*mut Instance, Str, *const Call) -> i32>,
}

#[repr(C)]
pub struct Guardrail {
    pub base: Instance,
    pub placements: u32,
    pub reserved0: u32,
    pub check: extern "C" fn(*mut Instance, u32, Str, *const Call) -> i32,
}

#[repr(C)]
pub struct ContextStrategy {
    pub base: Instance,
    pub plan: extern "C" fn(*mut Instance, Str, *const Call) -> i32,
}

// What the C headers of ABI 1.0 promise (tests/abi/layout_1_0.cpp).
macro_rules! sizes {
    ($($name:ty: $size:expr),+) => { $(const _: [(); $size] = [(); std::mem::size_of::<$name>()];)+ };
}
#[cfg(target_pointer_width = "64")]
sizes!(Str: 16, Host: 24, Call: 88, Instance: 32, Factory: 48, Entry: 40, Capability: 48, Provider: 56,
    Guardrail: 48, ContextStrategy: 40, Reply: 16, HttpReceiver: 40, Log: 24, Http: 24, Store: 32,
    Agents: 40, Wait: 24, Script: 48, Check: 56);

/// The head of an instance of kind `Kind`, whose struct is the first member of `Whole`, made by Box.
pub fn head<Kind, Whole>(flags: u32) -> Instance {
    extern "C" fn destroy<Whole>(this: *mut Instance) {
        unsafe { drop(Box::from_raw(this as *mut Whole)) }
    }
    Instance {
        struct_size: std::mem::size_of::<Kind>() as u32,
        flags,
        plugin_data: std::ptr::null_mut(),
        destroy: destroy::<Whole>,
        interrupt: None,
    }
}

/// A factory of the one component.
pub const fn factory(kind: &'static str, id: &'static str, create: Create) -> Factory {
    Factory {
        struct_size: std::mem::size_of::<Factory>() as u32,
        reserved0: 0,
        kind: text(kind),
        id: text(id),
        create,
    }
}

pub type Create =
    extern "C" fn(*const Factory, *const Host, Str, *const Call, *mut *mut Instance) -> i32;

#[repr(C)]
pub struct Factory {
    pub struct_size: u32,
    pub reserved0: u32,
    pub kind: Str,
    pub id: Str,
    pub create: Create,
}

#[repr(C)]
pub struct Entry {
    pub struct_size: u32,
    pub abi_minor: u32,
    pub min_host_minor: u32,
    pub reserved0: u32,
    pub open: extern "C" fn(*const Host, *const Call) -> i32,
    pub close: extern "C" fn(),
    pub factory_at: extern "C" fn(u32) -> *const Factory,
}

// Both are constants that point to constants.
unsafe impl Sync for Factory {}
unsafe impl Sync for Entry {}

/// No panic may leave the plugin: every function that the host calls runs inside this.
pub fn contained(call: &Call, body: impl FnOnce() -> i32) -> i32 {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(body))
        .unwrap_or_else(|_| call.error(INTERNAL, "panic", "the plugin panicked", ""))
}

/// An ELF note: sizes of name and text, type 1, the name padded to 12 bytes, the text to 4.
#[repr(C, align(4))]
pub struct Note<const N: usize> {
    head: [u32; 3],
    name: [u8; 12],
    json: [u8; N],
}

pub const fn padded(size: usize) -> usize {
    (size + 3) / 4 * 4
}

pub const fn note<const N: usize>(json: &str) -> Note<N> {
    let mut note =
        Note { head: [9, json.len() as u32, 1], name: *b"foxwedge\0\0\0\0", json: [0; N] };
    let mut i = 0;
    while i < json.len() {
        note.json[i] = json.as_bytes()[i];
        i += 1;
    }
    note
}

/// The descriptor, from a literal or `include_str!(...)` of any length.
#[macro_export]
macro_rules! foxwedge_descriptor {
    ($json:expr) => {
        #[used]
        #[link_section = ".note.foxwedge"]
        static FOXWEDGE_DESCRIPTOR: $crate::foxwedge::Note<
            { $crate::foxwedge::padded($json.len()) },
        > = $crate::foxwedge::note($json);
    };
}

/// The entry of a plugin with one component.
#[macro_export]
macro_rules! foxwedge_plugin {
    ($factory:expr) => {
        extern "C" fn open(_: *const Host, _: *const Call) -> i32 {
            OK
        }

        extern "C" fn close() {}

        extern "C" fn factory_at(index: u32) -> *const Factory {
            if index == 0 {
                &$factory
            } else {
                std::ptr::null()
            }
        }

        #[no_mangle]
        #[allow(non_upper_case_globals)]
        pub static foxwedge_entry_v1: Entry = Entry {
            struct_size: std::mem::size_of::<Entry>() as u32,
            abi_minor: 0,
            min_host_minor: 0,
            reserved0: 0,
            open,
            close,
            factory_at,
        };
    };
}
