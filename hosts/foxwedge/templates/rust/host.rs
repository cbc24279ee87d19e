//! Runs the plugin in the installed host: the program `foxwedge` on PATH, or the one in $FOXWEDGE.
use std::{env, fs, path::Path, process::Command};

#[test]
fn it_works_in_the_host() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    // A test's own build leaves the library among its dependencies, under a name of Cargo's.
    let build = Command::new(env!("CARGO")).arg("build").current_dir(project).status();
    assert!(build.unwrap().success());
    let test = env::current_exe().unwrap(); // target/debug/deps/host-…
    let built = test.ancestors().nth(2).unwrap().join("lib@CRATE@.so");
    let folder = env::temp_dir().join(format!("@ID@-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let plugin = folder.join("@ID@.so");
    fs::copy(&built, &plugin).unwrap();
    let host = env::var("FOXWEDGE").unwrap_or_else(|_| "foxwedge".into());
    let ended = Command::new(project.join("test/run.sh")).arg(host).arg(&plugin).status();
    fs::remove_dir_all(&folder).unwrap();
    assert!(ended.unwrap().success());
}
