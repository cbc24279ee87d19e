//! A guardrail: a check that lets pass, changes or stops what goes by. This one stops prompts, and
//! denies calls of tools, in which one of the configured words stands.
mod foxwedge;
mod json;

use foxwedge::*;
use json::{quoted, Json};

foxwedge_descriptor!(include_str!("../descriptor.json"));

#[repr(C)]
struct Guard {
    api: Guardrail, // first: the host's pointer to it is ours to the whole
    words: Vec<String>,
}

/// Adds every text in a value, whatever its form; of an object the values, not the names.
fn gather(value: &Json, said: &mut String) {
    if let Some(text) = value.text() {
        *said += text;
        said.push('\n');
    }
    value.list().iter().for_each(|element| gather(element, said));
    value.members().iter().for_each(|member| gather(&member.1, said));
}

/// Adds what stands in the messages of a prompt.
fn gather_prompt(prompt: &Json, said: &mut String) {
    for message in prompt.list() {
        for block in message.get("content").list() {
            gather(block.get("text"), said);
        }
    }
}

extern "C" fn check(this: *mut Instance, placement: u32, subject: Str, call: *const Call) -> i32 {
    let (call, guard) = unsafe { (&*call, &*(this as *const Guard)) };
    contained(call, || {
        let subject = match Json::parse(&unsafe { subject.as_text() }) {
            Some(subject) => subject,
            // Any failure is a deny.
            None => return call.error(INVALID, "invalid_request", "the subject is no JSON", ""),
        };
        let mut said = String::new();
        match placement {
            INPUT => gather_prompt(subject.get("prompt"), &mut said),
            _ => gather(subject.get("arguments"), &mut said),
        }
        match guard.words.iter().find(|word| said.contains(word.as_str())) {
            None => call.result(r#"{"action":"allow"}"#),
            Some(word) => call.result(&format!(
                r#"{{"action":"deny","message":"a word that is not wanted here","reason":{}}}"#,
                quoted(word)
            )),
        }
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
        let words = config.get("words").list().iter();
        let base = head::<Guardrail, Guard>(CONCURRENT); // nothing in it changes
        let guard = Guard {
            api: Guardrail { base, placements: INPUT | TOOL_ARGS, reserved0: 0, check },
            words: words.filter_map(|word| word.text()).map(String::from).collect(),
        };
        unsafe { *instance = Box::into_raw(Box::new(guard)) as *mut Instance };
        OK
    })
}

static FACTORY: Factory = factory(KIND_GUARDRAIL, "@NAME@", create);
foxwedge_plugin!(FACTORY);
