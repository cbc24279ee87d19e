//! A context strategy: chooses how much of a long history the model is shown. This one shows the
//! newest groups, as many as are configured.
mod foxwedge;
mod json;

use foxwedge::*;
use json::Json;

foxwedge_descriptor!(include_str!("../descriptor.json"));

/// Pure: the plan depends on the request alone, its `config` (that of the agent) too, and what is
/// kept from plan to plan is its `state`. Here nothing is: the numbers of groups only grow, so the
/// newest is enough.
extern "C" fn plan(_: *mut Instance, request: Str, call: *const Call) -> i32 {
    let call = unsafe { &*call };
    contained(call, || {
        let request = Json::parse(&unsafe { request.as_text() }).unwrap_or(Json::Null);
        let last = request.get("added").list().last().and_then(|group| group.get("n").integer());
        let next = last.map_or(request.get("firstGroup").integer().unwrap_or(0), |n| n + 1);
        let keep = request.get("config").get("keep").integer().unwrap_or(20);
        call.result(&format!(
            r#"{{"keepFrom":{},"pinned":[],"state":""}}"#,
            (next - keep).max(0)
        ));
        OK
    })
}

extern "C" fn create(
    _: *const Factory,
    _: *const Host,
    _: Str,
    call: *const Call,
    instance: *mut *mut Instance,
) -> i32 {
    contained(unsafe { &*call }, || {
        let base = head::<ContextStrategy, ContextStrategy>(CONCURRENT); // nothing in it changes
        let newest = ContextStrategy { base, plan };
        unsafe { *instance = Box::into_raw(Box::new(newest)) as *mut Instance };
        OK
    })
}

static FACTORY: Factory = factory(KIND_CONTEXT_STRATEGY, "@NAME@", create);
foxwedge_plugin!(FACTORY);
