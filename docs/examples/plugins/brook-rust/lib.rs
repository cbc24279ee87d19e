//! A provider in Rust: the same vendor as brook-cpp, without the C++ kit. The request goes out as it
//! is, the answer comes as events of one line of JSON each: {"text"} … {"done", "model", "usage"}.
//!
//! Build: rustc --edition=2021 --crate-type=cdylib -O lib.rs -o provider-brook-rs.so
#[path = "../shout-rust/foxwedge.rs"]
mod foxwedge;
#[path = "../shout-rust/json.rs"]
mod json;

use foxwedge::*;
use json::{integer_member, object_member, quoted, text_member};
use std::os::raw::c_void;

foxwedge_descriptor!(include_str!("descriptor.json"));

#[repr(C)]
struct Brook {
    api: Provider, // first: the host's pointer to it is ours to the whole
    http: *const Http,
    url: String,
}

/// The answer while it comes in.
struct Answer<'a> {
    call: &'a Call,
    status: i64,
    head: String,
    line: Vec<u8>, // bytes: a character may be cut in two
    body: String,  // of a refusal
    text: String,
    last: Option<String>,
}

impl Answer<'_> {
    fn chunk(&mut self, bytes: &[u8]) -> i32 {
        if self.status != 200 {
            self.body += &String::from_utf8_lossy(bytes);
            return OK;
        }
        for &byte in bytes {
            if byte != b'\n' {
                self.line.push(byte);
                continue;
            }
            let status = self.take_line();
            if status != OK {
                return status;
            }
        }
        OK
    }

    fn take_line(&mut self) -> i32 {
        let line = String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned();
        let data = match line.trim_end().strip_prefix("data:") {
            Some(data) => data,
            None => return OK, // a comment, a blank line
        };
        if integer_member(data, "done").is_some() {
            self.last = Some(data.to_string());
        }
        match text_member(data, "text") {
            Some(piece) => {
                self.text += &piece;
                self.call.emit(EVENT_TEXT, &format!(r#"{{"text":{}}}"#, quoted(&piece)))
            }
            None => OK,
        }
    }

    fn refused(&self) -> i32 {
        let (status, code) = match self.status {
            401 | 402 | 403 => (INVALID, "unauthorized"),
            408 | 504 => (UNKNOWN, "timeout"),
            429 => (TRANSIENT, "rate_limited"),
            503 | 529 => (TRANSIENT, "overloaded"),
            500..=599 => (UNKNOWN, "server_error"),
            _ => (INVALID, "invalid_request"),
        };
        let wait = text_member(&self.head, "retry-after").and_then(|t| t.parse::<i64>().ok());
        let details = match wait {
            Some(s) => format!(r#"{{"httpStatus":{},"retryAfterMs":{}}}"#, self.status, s * 1000),
            None => format!(r#"{{"httpStatus":{}}}"#, self.status),
        };
        let message = text_member(&self.body, "error").unwrap_or_else(|| "refused".into());
        self.call.error(status, code, &message, &details)
    }

    fn result(&self) -> i32 {
        let last = match &self.last {
            Some(last) => last,
            None => return self.call.error(UNKNOWN, "connection_lost", "the brook ran dry", ""),
        };
        if self.text.is_empty() {
            return self.call.error(TRANSIENT, "empty_response", "the model answered nothing", "");
        }
        self.call.result(&format!(
            r#"{{"content":[{{"type":"text","text":{}}}],"stop":"end","model":{},"usage":{}}}"#,
            quoted(&self.text),
            quoted(&text_member(last, "model").unwrap_or_default()),
            object_member(last, "usage").unwrap_or("{}")
        ));
        OK
    }
}

extern "C" fn take_head(data: *mut c_void, json: Str) -> i32 {
    let answer = unsafe { &mut *(data as *mut Answer) };
    contained(answer.call, || {
        answer.head = unsafe { json.as_text() }.into_owned();
        answer.status = integer_member(&answer.head, "status").unwrap_or(0);
        OK
    })
}

extern "C" fn take_chunk(data: *mut c_void, bytes: Str) -> i32 {
    let answer = unsafe { &mut *(data as *mut Answer) };
    contained(answer.call, || answer.chunk(unsafe { bytes.as_bytes() }))
}

extern "C" fn describe(_: *mut Instance, call: *const Call) -> i32 {
    let call = unsafe { &*call };
    contained(call, || {
        call.result(concat!(
            r#"{"nativeTranscript":false,"tools":false,"structuredOutput":"none","#,
            r#""streaming":true,"parallelCalls":false,"reasoningReplay":false}"#
        ));
        OK
    })
}

extern "C" fn generate(this: *mut Instance, request: Str, call: *const Call) -> i32 {
    let (call, brook) = unsafe { (&*call, &*(this as *const Brook)) };
    contained(call, || {
        let post = format!(
            concat!(
                r#"{{"method":"POST","url":{},"headers":{{"authorization":"#,
                r#"{{"secret":"BROOK_KEY","prefix":"Bearer "}}}},"body":{}}}"#
            ),
            quoted(&brook.url),
            quoted(&unsafe { request.as_text() })
        );
        let mut answer = Answer {
            call,
            status: 0,
            head: String::new(),
            line: Vec::new(),
            body: String::new(),
            text: String::new(),
            last: None,
        };
        let receiver = HttpReceiver {
            struct_size: std::mem::size_of::<HttpReceiver>() as u32,
            reserved0: 0,
            data: &mut answer as *mut Answer as *mut c_void,
            head: take_head,
            chunk: take_chunk,
            failed: None, // the service's own error is passed on
        };
        let http = unsafe { &*brook.http };
        let sent = (http.send)(call, http, text(&post), &receiver);
        if sent != OK && answer.last.is_none() {
            return sent;
        }
        if answer.status != 200 {
            return answer.refused();
        }
        answer.take_line(); // some leave out the end of the last line
        answer.result()
    })
}

extern "C" fn destroy(this: *mut Instance) {
    unsafe { drop(Box::from_raw(this as *mut Brook)) }
}

extern "C" fn create(
    _: *const Factory,
    host: *const Host,
    config: Str,
    call: *const Call,
    instance: *mut *mut Instance,
) -> i32 {
    let call = unsafe { &*call };
    contained(call, || {
        let http = unsafe { (*host).http() };
        if http.is_null() {
            return call.error(UNSUPPORTED, "unavailable", "this host has no http", "");
        }
        let url = text_member(&unsafe { config.as_text() }, "url");
        let base = Instance {
            struct_size: std::mem::size_of::<Provider>() as u32,
            flags: 0,
            plugin_data: std::ptr::null_mut(),
            destroy,
            interrupt: None,
        };
        let brook = Brook {
            api: Provider { base, describe, generate, count_tokens: None },
            http,
            url: url.unwrap_or_else(|| "https://brook.example/v1".into()),
        };
        unsafe { *instance = Box::into_raw(Box::new(brook)) as *mut Instance };
        OK
    })
}

static FACTORY: Factory = Factory {
    struct_size: std::mem::size_of::<Factory>() as u32,
    reserved0: 0,
    kind: text(KIND_PROVIDER),
    id: text("brook-rs"),
    create,
};

foxwedge_plugin!(FACTORY);
