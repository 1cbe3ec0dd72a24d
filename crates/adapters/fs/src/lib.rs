//! The local file system behind told's FileSystem port.
