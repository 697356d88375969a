//! Processes under measurement.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A process that listens; ended when it is dropped.
pub(crate) struct Process {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Process {
    /// This program again, in another role. It says its address in a line.
    pub(crate) fn role(role: &str, variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.env("CITESIEVE_BENCH_ROLE", role).envs(variables.iter().copied()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Process { child, address: line.trim().parse().unwrap() }
    }

    /// The proxy in front of an upstream, as users run it.
    pub(crate) fn serve(upstream: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("citesieve-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let config = folder.join("citesieve.toml");
        let log = "[log]\nformat = \"json\"\nfilter = \"warn,citesieve::serve=info\"\n";
        std::fs::write(&config, format!("listen = \"127.0.0.1:0\"\nupstream = \"{upstream}\"\n{log}")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_citesieve"));
        command.args(["serve", "--config"]).arg(&config).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let address = loop {
            let mut line = String::new();
            assert!(lines.read_line(&mut line).unwrap() > 0, "the proxy did not start");
            let said: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
            if said["message"] == "listening" {
                break said["address"].as_str().unwrap().parse().unwrap();
            }
        };
        std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::stderr()));
        let _ = std::fs::remove_dir_all(&folder);
        Process { child, address }
    }

    /// CPU time of all its threads.
    pub(crate) fn cpu(&self) -> Duration {
        let mut nanos = 0;
        for task in std::fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap().flatten() {
            // A thread may end meanwhile.
            let Ok(stat) = std::fs::read_to_string(task.path().join("schedstat")) else { continue };
            nanos += stat.split(' ').next().and_then(|first| first.parse::<u64>().ok()).unwrap_or(0);
        }
        Duration::from_nanos(nanos)
    }

    /// Resident memory in kB.
    pub(crate) fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
