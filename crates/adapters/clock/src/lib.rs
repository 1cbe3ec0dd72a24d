//! The system clock behind told's Clock port.
