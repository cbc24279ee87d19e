//! A provider in Rust: the same vendor as brook-cpp, without the C++ kit. The request goes out as it
//! is, the answer comes as events of one line of JSON each: {"text"} … {"done", "model", "usage"}.
//!
//! Build: rustc --edition=2021 --crate-type=cdylib -O lib.rs -o provider-brook-rs.so
#[path = "../shout-rust/foxwedge.rs"]
mod foxwedge;
#[path = "../shout-rust/json.rs"]
mod json;

use foxwedge::*;
use json::{quoted, Json};
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
    retry_after: Option<i64>,
    line: Vec<u8>, // bytes: a character may be cut in two
    body: String,  // of a refusal
    text: String,
    last: Option<Json>,
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
        let event = match line.trim_end().strip_prefix("data:").and_then(Json::parse) {
            Some(event) => event,
            None => return OK, // a comment, a blank line
        };
        if let Some(piece) = event.get("text").text() {
            self.text += piece;
            let status = self.call.emit(EVENT_TEXT, &format!(r#"{{"text":{}}}"#, quoted(piece)));
            if status != OK {
                return status;
            }
        }
        if *event.get("done") != Json::Null {
            self.last = Some(event);
        }
        OK
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
        let details = match self.retry_after {
            Some(s) => format!(r#"{{"httpStatus":{},"retryAfterMs":{}}}"#, self.status, s * 1000),
            None => format!(r#"{{"httpStatus":{}}}"#, self.status),
        };
        let body = Json::parse(&self.body).unwrap_or(Json::Null);
        let message = body.get("error").text().unwrap_or("refused");
        self.call.error(status, code, message, &details)
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
            quoted(last.get("model").text().unwrap_or("")),
            if last.get("usage").members().is_empty() {
                "{}".to_string()
            } else {
                last.get("usage").to_string()
            }
        ));
        OK
    }
}

extern "C" fn take_head(data: *mut c_void, json: Str) -> i32 {
    let answer = unsafe { &mut *(data as *mut Answer) };
    contained(answer.call, || {
        let head = Json::parse(&unsafe { json.as_text() }).unwrap_or(Json::Null);
        answer.status = head.get("status").integer().unwrap_or(0);
        answer.retry_after =
            head.get("headers").get("retry-after").text().and_then(|t| t.parse().ok());
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
            retry_after: None,
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
        let config = Json::parse(&unsafe { config.as_text() }).unwrap_or(Json::Null);
        let brook = Brook {
            api: Provider { base: head::<Provider, Brook>(0), describe, generate, count_tokens: None },
            http,
            url: config.get("url").text().unwrap_or("https://brook.example/v1").into(),
        };
        unsafe { *instance = Box::into_raw(Box::new(brook)) as *mut Instance };
        OK
    })
}

static FACTORY: Factory = factory(KIND_PROVIDER, "brook-rs", create);

foxwedge_plugin!(FACTORY);
