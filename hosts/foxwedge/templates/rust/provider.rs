//! A provider: an adapter to a service that answers with a model. The service of this one takes
//! {"model", "prompt"} and streams events of one line of JSON each, {"text": "..."}, the last of
//! them {"done": true, "usage": {"input", "output"}}. Put the wire format of yours in its place.
mod foxwedge;
mod json;

use foxwedge::*;
use json::{quoted, Json};
use std::os::raw::c_void;

foxwedge_descriptor!(include_str!("../descriptor.json"));

#[repr(C)]
struct Adapter {
    api: Provider, // first: the host's pointer to it is ours to the whole
    http: *const Http,
    url: String,
    secret: String, // the key's name: its value is the host's alone
}

/// The answer while it comes in.
struct Answer<'a> {
    call: &'a Call,
    model: Json,
    status: i64,
    retry_after: Option<i64>, // seconds
    line: Vec<u8>,            // bytes: a character may be cut in two
    text: String,
    last: Option<Json>,
}

impl Answer<'_> {
    fn chunk(&mut self, bytes: &[u8]) -> i32 {
        if self.status != 200 {
            return OK; // a refusal: its status says enough
        }
        for &byte in bytes {
            if byte != b'\n' {
                self.line.push(byte);
                continue;
            }
            let status = self.take_line();
            if status != OK {
                return status; // the host wants the call to end
            }
        }
        OK
    }

    /// One event of the stream.
    fn take_line(&mut self) -> i32 {
        let line = String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned();
        let event = match line.strip_prefix("data: ").and_then(Json::parse) {
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
        if event.get("done").is_true() {
            self.last = Some(event);
        }
        OK
    }

    /// What agents know about refusals: docs/providers.
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
        self.call.error(status, code, "the service refused the request", &details)
    }

    fn result(&self) -> i32 {
        let usage = match &self.last {
            Some(last) => last.get("usage"),
            None => {
                let why = "the stream ended before the answer did";
                return self.call.error(UNKNOWN, "connection_lost", why, "");
            }
        };
        if self.text.is_empty() {
            return self.call.error(TRANSIENT, "empty_response", "the model answered nothing", "");
        }
        self.call.result(&format!(
            r#"{{"content":[{{"type":"text","text":{}}}],"stop":"end","model":{},"usage":{}}}"#,
            quoted(&self.text),
            self.model,
            if *usage == Json::Null { "{}".into() } else { usage.to_string() }
        ));
        OK
    }
}

extern "C" fn take_head(data: *mut c_void, json: Str) -> i32 {
    let answer = unsafe { &mut *(data as *mut Answer) };
    contained(answer.call, || {
        let head = Json::parse(&unsafe { json.as_text() }).unwrap_or(Json::Null);
        answer.status = head.get("status").integer().unwrap_or(0);
        let wait = head.get("headers").get("retry-after").text();
        answer.retry_after = wait.and_then(|seconds| seconds.parse().ok());
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

/// The text of all messages, one below the other.
fn prompt_of(request: &Json) -> String {
    let mut prompt = String::from(request.get("system").text().unwrap_or(""));
    for message in request.get("messages").list() {
        for block in message.get("content").list() {
            prompt.push('\n');
            prompt += block.get("text").text().unwrap_or("");
        }
    }
    prompt
}

extern "C" fn generate(this: *mut Instance, request: Str, call: *const Call) -> i32 {
    let (call, adapter) = unsafe { (&*call, &*(this as *const Adapter)) };
    contained(call, || {
        let request = Json::parse(&unsafe { request.as_text() }).unwrap_or(Json::Null);
        let model = request.get("model").clone();
        let body = format!(r#"{{"model":{},"prompt":{}}}"#, model, quoted(&prompt_of(&request)));
        let post = format!(
            concat!(
                r#"{{"method":"POST","url":{},"headers":{{"content-type":"application/json","#,
                r#""authorization":{{"secret":{},"prefix":"Bearer "}}}},"body":{}}}"#
            ),
            quoted(&adapter.url),
            quoted(&adapter.secret),
            quoted(&body)
        );
        let (line, text, last) = (Vec::new(), String::new(), None);
        let mut answer = Answer { call, model, status: 0, retry_after: None, line, text, last };
        let receiver = HttpReceiver {
            struct_size: std::mem::size_of::<HttpReceiver>() as u32,
            reserved0: 0,
            data: &mut answer as *mut Answer as *mut c_void,
            head: take_head,
            chunk: take_chunk,
            failed: None, // the service's own error is passed on
        };
        let http = unsafe { &*adapter.http };
        let sent = (http.send)(call, http, foxwedge::text(&post), &receiver);
        if sent != OK && answer.last.is_none() {
            return sent;
        }
        match answer.status {
            200 => answer.result(),
            _ => answer.refused(),
        }
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
        let http = unsafe { &*host }.http();
        if http.is_null() {
            return call.error(UNSUPPORTED, "unavailable", "this host has no http", "");
        }
        let config = Json::parse(&unsafe { config.as_text() }).unwrap_or(Json::Null);
        let base = head::<Provider, Adapter>(CONCURRENT); // nothing in it changes
        let adapter = Adapter {
            api: Provider { base, describe, generate, count_tokens: None },
            http,
            url: config.get("url").text().unwrap_or("").into(),
            secret: config.get("key").get("secret").text().unwrap_or("").into(),
        };
        unsafe { *instance = Box::into_raw(Box::new(adapter)) as *mut Instance };
        OK
    })
}

static FACTORY: Factory = factory(KIND_PROVIDER, "@NAME@", create);
foxwedge_plugin!(FACTORY);
