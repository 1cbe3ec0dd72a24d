//! Which addresses a URL may reach (R-URL-3).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Which addresses a URL may reach, on every hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressPolicy {
    /// Those of the public network alone: always for a URL that a project names.
    Public,
    /// Those of this machine and its networks as well: the user's own URLs, where the user says so.
    Private,
}

impl AddressPolicy {
    /// Whether it allows a connection to this address.
    #[must_use]
    pub fn allows(self, address: IpAddr) -> bool {
        match (Reach::of(address), self) {
            (Reach::Public, _) | (Reach::Local, Self::Private) => true,
            (Reach::Local, Self::Public) | (Reach::Nowhere, _) => false,
        }
    }
}

/// How far an address reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    /// A host of the public network.
    Public,
    /// This machine, its networks, its provider's, or an IPv4 address in another form: what that
    /// leads to, a gateway decides.
    Local,
    /// No one host: multicast, unspecified, reserved, or for documentation only.
    Nowhere,
}

impl Reach {
    /// The reach of an address, by the registries of special-purpose addresses.
    #[must_use]
    pub fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => v4(address),
            IpAddr::V6(address) => v6(address),
        }
    }
}

const fn v4(address: Ipv4Addr) -> Reach {
    match address.octets() {
        // Loopback, private, link-local, and shared between a provider and its customers.
        [127 | 10, ..]
        | [172, 16..=31, ..]
        | [192, 168, ..]
        | [169, 254, ..]
        | [100, 64..=127, ..] => Reach::Local,
        // "This network", multicast, and reserved with the broadcast address.
        [0 | 224..=255, ..]
        // Protocol assignments and documentation, relays of 6to4, benchmarks.
        | [192, 0, 0 | 2, _]
        | [198, 51, 100, _]
        | [203, 0, 113, _]
        | [192, 88, 99, _]
        | [198, 18 | 19, ..] => Reach::Nowhere,
        _ => Reach::Public,
    }
}

fn v6(address: Ipv6Addr) -> Reach {
    if address.is_unspecified() {
        return Reach::Nowhere;
    }
    if address.is_loopback() {
        return Reach::Local;
    }
    if let Some(embedded) = embedded_v4(address.segments()) {
        return match v4(embedded) {
            Reach::Public | Reach::Local => Reach::Local,
            Reach::Nowhere => Reach::Nowhere,
        };
    }
    match address.segments() {
        // Unique local, link-local, and the former site-local.
        [0xfc00..=0xfdff | 0xfe80..=0xfeff, ..] => Reach::Local,
        // Protocol assignments with benchmarks and ORCHID, and documentation.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Reach::Nowhere,
        [0x2000..=0x3fff, ..] => Reach::Public,
        // Multicast, discard, segment routing, and all that nobody has been given.
        _ => Reach::Nowhere,
    }
}

/// The IPv4 address that an IPv6 address leads to by way of a gateway or the system.
fn embedded_v4(segments: [u16; 8]) -> Option<Ipv4Addr> {
    let of = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Some(Ipv4Addr::new(a, b, c, d))
    };
    match segments {
        // IPv4-compatible, -mapped and -translated; NAT64 at its well-known and its local prefix.
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x64, 0xff9b, 1, _, _, _, high, low] => of(high, low),
        // 6to4.
        [0x2002, high, low, ..] => of(high, low),
        // Teredo: the client's address, every bit inverted.
        [0x2001, 0, .., high, low] => of(!high, !low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_url_3_every_address_reaches_so_far() {
        use Reach::{Local, Nowhere, Public};
        let cases: &[(&str, Reach)] = &[
            ("93.184.216.34", Public),
            ("1.1.1.1", Public),
            ("9.255.255.255", Public),
            ("10.0.0.0", Local),
            ("10.255.255.255", Local),
            ("11.0.0.0", Public),
            ("100.63.255.255", Public),
            ("100.64.0.0", Local),
            ("100.127.255.255", Local),
            ("100.128.0.0", Public),
            ("127.0.0.1", Local),
            ("127.255.255.254", Local),
            ("169.253.255.255", Public),
            ("169.254.169.254", Local),
            ("172.15.255.255", Public),
            ("172.16.0.1", Local),
            ("172.31.255.255", Local),
            ("172.32.0.0", Public),
            ("192.168.0.1", Local),
            ("192.169.0.0", Public),
            ("0.0.0.0", Nowhere),
            ("0.1.2.3", Nowhere),
            ("192.0.0.192", Nowhere),
            ("192.0.1.1", Public),
            ("192.0.2.1", Nowhere),
            ("192.88.99.1", Nowhere),
            ("198.17.255.255", Public),
            ("198.18.0.1", Nowhere),
            ("198.19.255.255", Nowhere),
            ("198.51.100.1", Nowhere),
            ("203.0.113.1", Nowhere),
            ("223.255.255.255", Public),
            ("224.0.0.1", Nowhere),
            ("239.255.255.255", Nowhere),
            ("240.0.0.1", Nowhere),
            ("255.255.255.255", Nowhere),
            ("2606:2800:220:1:248:1893:25c8:1946", Public),
            ("2001:4860:4860::8888", Public),
            ("::", Nowhere),
            ("::1", Local),
            ("::2", Nowhere),
            ("::127.0.0.1", Local),
            ("::93.184.216.34", Local),
            ("::ffff:127.0.0.1", Local),
            ("::ffff:93.184.216.34", Local),
            ("::ffff:0.0.0.0", Nowhere),
            ("::ffff:224.0.0.1", Nowhere),
            ("::ffff:0:10.0.0.1", Local),
            ("64:ff9b::127.0.0.1", Local),
            ("64:ff9b::93.184.216.34", Local),
            ("64:ff9b:1::10.0.0.1", Local),
            ("64:ff9b:1:2:3:4:a9fe:a9fe", Local),
            ("64:ff9b:2::1", Nowhere),
            ("100::1", Nowhere),
            ("2001::1", Nowhere),
            ("2001:0:4136:e378:8000:63bf:3fff:fdd2", Nowhere),
            ("2001:0:4136:e378:8000:63bf:80ff:fffe", Local),
            ("2001:2::1", Nowhere),
            ("2001:20::1", Nowhere),
            ("2001:1ff:ffff::1", Nowhere),
            ("2001:200::1", Public),
            ("2001:db8::1", Nowhere),
            ("2002:7f00:1::1", Local),
            ("2002:5db8:d822::1", Local),
            ("2002:e000:1::1", Nowhere),
            ("3fff::1", Nowhere),
            ("3fff:1000::1", Public),
            ("4000::1", Nowhere),
            ("5f00::1", Nowhere),
            ("fc00::1", Local),
            ("fdff:ffff::1", Local),
            ("fe00::1", Nowhere),
            ("fe80::1", Local),
            ("febf::1", Local),
            ("fec0::1", Local),
            ("ff02::1", Nowhere),
        ];
        for (text, reach) in cases {
            let address: IpAddr = text.parse().unwrap();
            assert_eq!(Reach::of(address), *reach, "{text}");
            assert_eq!(AddressPolicy::Public.allows(address), *reach == Public, "{text}");
            assert_eq!(AddressPolicy::Private.allows(address), *reach != Nowhere, "{text}");
        }
    }
}
