//! Fakes with fault scripts, contract suites and the simulator.
