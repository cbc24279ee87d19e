//! A capability: tools that a model may call. This one has one, `remember`, which keeps a text under
//! a key in the host's store and says what was there before.
mod foxwedge;
mod json;

use foxwedge::*;
use json::Json;

foxwedge_descriptor!(include_str!("../descriptor.json"));

#[repr(C)]
struct Tools {
    api: Capability, // first: the host's pointer to it is ours to the whole
    store: *const Store,
}

// "store": all that lasts goes through the store, which commits with the call or not at all.
const TOOLS: &str = concat!(
    r#"{"tools":[{"name":"remember","#,
    r#""description":"Keeps a text under a key and gives what was kept there before.","#,
    r#""inputSchema":{"type":"object","properties":{"#,
    r#""key":{"type":"string","minLength":1,"maxLength":100},"#,
    r#""text":{"type":"string","maxLength":10000}},"#,
    r#""required":["key","text"],"additionalProperties":false},"#,
    r#""annotations":{"readOnlyHint":false},"effect":"store","parallelSafe":true}]}"#
);

extern "C" fn list_tools(_: *mut Instance, call: *const Call) -> i32 {
    let call = unsafe { &*call };
    contained(call, || {
        call.result(TOOLS);
        OK
    })
}

extern "C" fn run_tool(this: *mut Instance, name: Str, arguments: Str, call: *const Call) -> i32 {
    let (call, tools) = unsafe { (&*call, &*(this as *const Tools)) };
    contained(call, || {
        if unsafe { name.as_text() } != "remember" {
            return call.error(UNSUPPORTED, "unknown_tool", "there is only remember", "");
        }
        let arguments = Json::parse(&unsafe { arguments.as_text() }).unwrap_or(Json::Null);
        let (key, value) = (arguments.get("key"), arguments.get("text"));
        if key.text().is_none() || value.text().is_none() {
            return call.error(INVALID, "input_validation", "key and text must be texts", "");
        }
        let request = format!(
            concat!(
                r#"{{"ops":[{{"op":"get","scope":"project","key":{}}},"#,
                r#"{{"op":"put","scope":"project","key":{},"value":{}}}]}}"#
            ),
            key, key, value
        );
        let store = unsafe { &*tools.store };
        let answer = match answered(|reply| (store.apply)(call, store, text(&request), reply)) {
            Ok(answer) => Json::parse(&answer).unwrap_or(Json::Null),
            Err(status) => return status, // the store has said why
        };
        let before = answer.get("results").list().first().map_or(&Json::Null, |r| r.get("value"));
        call.result(&format!(
            concat!(
                r#"{{"content":[{{"type":"text","text":"kept"}}],"#,
                r#""structuredContent":{{"before":{}}}}}"#
            ),
            before
        ));
        OK
    })
}

extern "C" fn create(
    _: *const Factory,
    host: *const Host,
    _: Str,
    call: *const Call,
    instance: *mut *mut Instance,
) -> i32 {
    let call = unsafe { &*call };
    contained(call, || {
        let store = unsafe { &*host }.store();
        if store.is_null() {
            return call.error(UNSUPPORTED, "unavailable", "this host has no store", "");
        }
        let base = head::<Capability, Tools>(CONCURRENT); // nothing in it changes
        let tools = Tools { api: Capability { base, list_tools, run_tool }, store };
        unsafe { *instance = Box::into_raw(Box::new(tools)) as *mut Instance };
        OK
    })
}

static FACTORY: Factory = factory(KIND_CAPABILITY, "@NAME@", create);
foxwedge_plugin!(FACTORY);
