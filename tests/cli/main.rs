//! The program from the outside: what it prints, where, and with which exit code.
#![cfg(test)]

mod check;
mod demo;
mod errors;
mod eval;
mod filter;
mod outside;
mod replay;
mod support;
