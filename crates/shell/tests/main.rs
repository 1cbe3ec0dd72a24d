//! Command lines and what they surely read, by the table; and that no text whatever breaks it.

mod reads;
