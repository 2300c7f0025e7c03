//! Identities of containers and images, in the form that a runtime gives them.

/// Of a container: 64 hexadecimal digits by chance.
pub(super) fn container(rng: &mut fastrand::Rng) -> String {
    let (a, b) = (rng.u128(..), rng.u128(..));
    format!("containerd://{a:032x}{b:032x}")
}

/// Of an image: a digest that only depends on its name.
pub(super) fn image(name: &str) -> String {
    let mut chance =
        fastrand::Rng::with_seed(name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        }));
    let repository = repository(name);
    let (a, b) = (chance.u128(..), chance.u128(..));
    format!("{repository}@sha256:{a:032x}{b:032x}")
}

/// The name without its tag or digest.
fn repository(name: &str) -> &str {
    let name = name.split_once('@').map_or(name, |(name, _)| name);
    match name.rsplit_once(':') {
        // A port is followed by a path.
        Some((before, tag)) if !tag.contains('/') => before,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_has_one_digest() {
        assert_eq!(image("a:1"), image("a:1"));
        assert_ne!(image("a:1"), image("a:2"));
        for (name, expected) in [
            ("busybox", "busybox"),
            ("host:5000/app", "host:5000/app"),
            ("host:5000/app:1", "host:5000/app"),
            ("app@sha256:00", "app"),
        ] {
            assert_eq!(repository(name), expected);
        }
        let id = container(&mut fastrand::Rng::with_seed(1));
        assert_eq!(id.len(), "containerd://".len() + 64);
    }
}
