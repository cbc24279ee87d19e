//! A capability in Rust. Its one tool, `shout`, gives a text back in capital letters.
//!
//! Build: rustc --edition=2021 --crate-type=cdylib -O lib.rs -o capability-shout.so
mod foxwedge;
mod json;

use foxwedge::*;
use json::{quoted, Json};

foxwedge_descriptor!(include_str!("descriptor.json"));

#[repr(C)]
struct Shout {
    api: Capability, // first: the host's pointer to it is ours to the whole
    mark: String,
}

const TOOLS: &str = concat!(
    r#"{"tools":[{"name":"shout","description":"Gives a text back in capital letters.","#,
    r#""inputSchema":{"type":"object","properties":{"text":{"type":"string","maxLength":1000}},"#,
    r#""required":["text"],"additionalProperties":false},"annotations":{"readOnlyHint":true},"#,
    r#""effect":"none","parallelSafe":true}]}"#
);

extern "C" fn list_tools(_: *mut Instance, call: *const Call) -> i32 {
    let call = unsafe { &*call };
    contained(call, || {
        call.result(TOOLS);
        OK
    })
}

extern "C" fn run_tool(this: *mut Instance, name: Str, arguments: Str, call: *const Call) -> i32 {
    let (call, shout) = unsafe { (&*call, &*(this as *const Shout)) };
    contained(call, || {
        let (name, arguments) = unsafe { (name.as_text(), arguments.as_text()) };
        if name != "shout" {
            return call.error(UNSUPPORTED, "unknown_tool", "there is only shout", "");
        }
        let arguments = Json::parse(&arguments).unwrap_or(Json::Null);
        let text = match arguments.get("text").text() {
            Some(text) => text,
            None => {
                let details = r#"{"pointer":"/text"}"#;
                return call.error(INVALID, "input_validation", "text must be a text", details);
            }
        };
        if text == "panic!" {
            panic!("asked to");
        }
        let loud = quoted(&(text.to_uppercase() + &shout.mark));
        call.result(&format!(
            r#"{{"content":[{{"type":"text","text":{}}}],"structuredContent":{{"text":{}}}}}"#,
            loud, loud
        ));
        OK
    })
}

extern "C" fn create(
    _: *const Factory,
    _: *const Host,
    config: Str,
    call: *const Call,
    instance: *mut *mut Instance,
) -> i32 {
    contained(unsafe { &*call }, || {
        let config = Json::parse(&unsafe { config.as_text() }).unwrap_or(Json::Null);
        let shout = Shout {
            api: Capability { base: head::<Capability, Shout>(CONCURRENT), list_tools, run_tool },
            mark: config.get("mark").text().unwrap_or("!").into(),
        };
        unsafe { *instance = Box::into_raw(Box::new(shout)) as *mut Instance };
        OK
    })
}

static FACTORY: Factory = factory(KIND_CAPABILITY, "shout", create);

foxwedge_plugin!(FACTORY);
