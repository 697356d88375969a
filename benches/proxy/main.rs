//! What the proxy costs, beside a plain hyper pass-through in the same run: CPU per paced event, memory per stream, time
//! to the first token.
//!
//! `cargo bench -p citesieve-cli --bench proxy`, with `-- --busy 100 --events 500 --pace-ms 20 --rounds 5 --streams 2000
//! --asked 500` or other numbers. Linux only: the CPU time and memory of the processes come from `/proc`. Upstream,
//! pass-through and proxy are processes of their own; rounds take turns, so that what else the machine does meets all of
//! them. `-- --test` runs everything once, small.

#![expect(clippy::unwrap_used, reason = "a bench that cannot go on is to fail")]

mod load;
mod pass;
mod process;
mod upstream;

use std::time::Duration;

use load::Load;
use process::Process;

/// What is run, from the arguments.
#[derive(Debug, Clone, Copy)]
struct Plan {
    /// Streams at once while CPU time is counted.
    busy: usize,
    /// Streams at once while memory is counted.
    streams: usize,
    rounds: usize,
    /// Events of a stream, and the time between two of them.
    events: usize,
    pace: Duration,
    /// Requests, one after the other, for the time to the first token.
    asked: usize,
}

impl Plan {
    fn from_arguments() -> Self {
        let mut plan =
            // Fifty events a second, as models write.
            Plan { busy: 100, streams: 2000, rounds: 5, events: 500, pace: Duration::from_millis(20), asked: 500 };
        let mut arguments = std::env::args().skip(1);
        while let Some(option) = arguments.next() {
            let mut number = || arguments.next().and_then(|value| value.parse().ok()).expect("a number expected");
            match option.as_str() {
                "--test" => plan = Plan { busy: 4, streams: 8, rounds: 1, events: 5, asked: 3, ..plan },
                "--busy" => plan.busy = number(),
                "--streams" => plan.streams = number(),
                "--rounds" => plan.rounds = number(),
                "--events" => plan.events = number(),
                "--pace-ms" => plan.pace = Duration::from_millis(number() as u64),
                "--asked" => plan.asked = number(),
                // What cargo passes to every bench.
                _ => {}
            }
        }
        plan
    }
}

fn main() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    match std::env::var("CITESIEVE_BENCH_ROLE").as_deref() {
        Ok("upstream") => runtime.block_on(upstream::serve()),
        Ok("pass") => runtime.block_on(pass::serve()),
        _ if cfg!(target_os = "linux") => runtime.block_on(measure(Plan::from_arguments())),
        _ => println!("skipped: no /proc"),
    }
}

async fn measure(plan: Plan) {
    let upstream = Process::role("upstream", &[]);
    let base = format!("http://{}", upstream.address);
    let pass = || Process::role("pass", &[("CITESIEVE_BENCH_UPSTREAM", base.as_str())]);
    let proxy = || Process::serve(&base);
    println!("CPU: {} streams of {} events, one per {:?}; {} rounds", plan.busy, plan.events, plan.pace, plan.rounds);
    let (passing, sieving) = (pass(), proxy());
    let kinds = [("pass-through", &passing, true), ("unchecked", &sieving, false), ("checked", &sieving, true)];
    let mut spent: [Vec<f64>; 3] = Default::default();
    let cpu = Load { streams: plan.busy, events: plan.events, pace: plan.pace, sources: true };
    for round in 0..=plan.rounds {
        for (index, (_, process, sources)) in kinds.iter().enumerate() {
            let before = process.cpu();
            let events = Load { sources: *sources, ..cpu }.run(process.address).await;
            let after = process.cpu();
            assert_eq!(events, cpu.expected(), "events were lost");
            // The first round fills caches and pools.
            if round > 0 || plan.rounds == 1 {
                spent[index].push((after - before).as_secs_f64() * 1e6 / events as f64);
            }
        }
    }
    let base_cost = median(&mut spent[0].clone());
    for (index, (name, ..)) in kinds.iter().enumerate() {
        let (cost, list) = (median(&mut spent[index]), &spent[index]);
        let (low, high) = (list[0], list[list.len() - 1]);
        println!(
            "  {name:<13} {cost:6.2} µs per event ({low:.2} to {high:.2}), {:.2} × pass-through",
            cost / base_cost
        );
    }

    println!("time to the first token: {} requests, one after the other", plan.asked);
    let targets = [("direct", upstream.address), ("pass-through", passing.address), ("checked", sieving.address)];
    let mut first: [Vec<f64>; 3] = Default::default();
    for _ in 0..plan.asked {
        for (list, (_, address)) in first.iter_mut().zip(targets) {
            list.push(load::first_event(address).await.as_secs_f64() * 1e3);
        }
    }
    let direct = median(&mut first[0].clone());
    for (list, (name, _)) in first.iter_mut().zip(targets) {
        let middle = median(list);
        let late = list[list.len() * 99 / 100];
        println!(
            "  {name:<13} {middle:6.3} ms at the median ({:+.3}), {late:.3} at the 99th percentile",
            middle - direct
        );
    }
    drop((passing, sieving));

    println!("memory: {} streams at once", plan.streams);
    for (name, process) in [("pass-through", pass()), ("checked", proxy())] {
        Load { streams: 8, events: 2, ..cpu }.run(process.address).await;
        let before = process.resident();
        let load = Load { streams: plan.streams, events: 20, pace: Duration::from_millis(500), sources: true };
        let running = tokio::spawn(load.run(process.address));
        let mut most = before;
        while !running.is_finished() {
            tokio::time::sleep(Duration::from_millis(100)).await;
            most = most.max(process.resident());
        }
        assert_eq!(running.await.unwrap(), load.expected(), "events were lost");
        let each = (most - before) as f64 / plan.streams as f64;
        println!("  {name:<13} {each:6.1} kB per stream ({before} kB before, {most} kB at the most)");
    }
}

/// The middle of a list, which is sorted for it.
fn median(list: &mut [f64]) -> f64 {
    list.sort_by(f64::total_cmp);
    list[list.len() / 2]
}
