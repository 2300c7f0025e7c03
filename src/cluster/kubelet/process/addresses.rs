//! Loopback addresses for pods. A run claims a block `127.A.B.0/24` (and more as it grows); the claim is a socket with
//! an abstract name, which the system takes back whatever ends us, so runs at the same time have different blocks.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;

use sha1::{Digest as _, Sha1};

/// Blocks that there are: `127.1.0.0` to `127.254.255.0`. `127.0` is what others use.
const BLOCKS: u32 = 254 * 256;
/// Addresses in a block that pods get: not `.0` and `.255`, which look like a network and a broadcast.
const IN_BLOCK: u32 = 254;

/// Addresses of one run.
#[derive(Debug)]
pub(super) struct Addresses {
    /// Where the search for free blocks begins.
    start: u32,
    blocks: Vec<Block>,
    used: BTreeSet<Ipv4Addr>,
    /// Addresses are given in turn: one that was just freed rests.
    next: u32,
}

#[derive(Debug)]
struct Block {
    number: u32,
    /// Held, not used.
    _claim: Claim,
}

impl Addresses {
    /// For the run of that name: the same name gets the same addresses, if they are free.
    pub(super) fn new(run: &str) -> Self {
        let hash = Sha1::digest(run.as_bytes());
        let number = u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]);
        Self {
            start: number % BLOCKS,
            blocks: Vec::new(),
            used: BTreeSet::new(),
            next: 0,
        }
    }

    /// An address that no pod has; `None` if the machine has no more.
    pub(super) fn take(&mut self) -> Option<Ipv4Addr> {
        let held = u32::try_from(self.blocks.len()).ok()? * IN_BLOCK;
        let free = (0..held)
            .map(|step| (self.next + step) % held)
            .find(|index| self.at(*index).is_some_and(|a| !self.used.contains(&a)));
        let index = match free {
            Some(index) => index,
            None => {
                self.grow()?;
                held
            }
        };
        self.next = index + 1;
        let address = self.at(index)?;
        self.used.insert(address);
        Some(address)
    }

    /// The pod is gone.
    pub(super) fn give_back(&mut self, address: Ipv4Addr) {
        self.used.remove(&address);
    }

    fn at(&self, index: u32) -> Option<Ipv4Addr> {
        let block = self.blocks.get((index / IN_BLOCK) as usize)?.number;
        let [_, _, high, low] = (block + 256).to_be_bytes();
        let last = u8::try_from(index % IN_BLOCK + 1).ok()?;
        Some(Ipv4Addr::new(127, high, low, last))
    }

    fn grow(&mut self) -> Option<()> {
        let (number, claim) = (0..BLOCKS)
            .map(|step| (self.start + step) % BLOCKS)
            .filter(|number| self.blocks.iter().all(|b| b.number != *number))
            .find_map(|number| Some((number, Claim::new(number)?)))?;
        self.blocks.push(Block {
            number,
            _claim: claim,
        });
        Some(())
    }
}

#[derive(Debug)]
struct Claim(
    #[expect(dead_code, reason = "held until the run ends")] std::os::unix::net::UnixListener,
);

impl Claim {
    /// `None`: another run has it.
    fn new(block: u32) -> Option<Self> {
        use std::os::linux::net::SocketAddrExt as _;
        use std::os::unix::net::{SocketAddr, UnixListener};
        let name = format!("kubectl-jobset/addresses/{block}");
        let address = SocketAddr::from_abstract_name(name).ok()?;
        UnixListener::bind_addr(&address).ok().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_of_one_name_share_no_address() {
        let run = format!("test-{}", std::process::id());
        let (mut a, mut b) = (Addresses::new(&run), Addresses::new(&run));
        let first: Vec<_> = (0..300).map(|_| a.take().unwrap()).collect();
        let second: Vec<_> = (0..300).map(|_| b.take().unwrap()).collect();
        let all: BTreeSet<_> = first.iter().chain(&second).collect();
        assert_eq!(all.len(), 600);
        assert!(all.iter().all(|a| a.is_loopback() && a.octets()[1] != 0));
    }

    #[test]
    fn the_same_name_gets_the_same_addresses_again() {
        let run = format!("again-{}", std::process::id());
        let mut one = Addresses::new(&run);
        let first = one.take();
        drop(one);
        assert_eq!(Addresses::new(&run).take(), first);
    }

    #[test]
    fn an_address_rests_before_it_is_used_again() {
        let mut addresses = Addresses::new(&format!("rest-{}", std::process::id()));
        let first = addresses.take().unwrap();
        addresses.give_back(first);
        assert_ne!(addresses.take().unwrap(), first);
        let others = (0..252).filter_map(|_| addresses.take()).count();
        assert_eq!((others, addresses.take()), (252, Some(first)));
    }
}
