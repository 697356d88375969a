//! The program from the outside: what it prints, where, and with which exit code.
#![cfg(test)]

mod check;
mod demo;
mod errors;
mod eval;
mod filter;
mod html;
mod judge;
mod judging;
mod outside;
mod replay;
mod schema;
mod structured;
mod support;
