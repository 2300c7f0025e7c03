//! Volumes as folders and files: made when the pod starts, below its folder, and mounted into its containers.
//!
//! ConfigMaps, Secrets and the downward API are written once; later changes of them don't reach a running pod. A
//! PersistentVolumeClaim is a folder of the run, the same for all pods that name it. What needs a driver is refused.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};

use k8s_openapi::api::core::v1::{
    Container, DownwardAPIVolumeFile, HostPathVolumeSource, KeyToPath, Pod, Volume,
};

use super::expand::expand;
use super::fields::{self, Place};
use super::inside::protocol::Mount;
use super::lookups::Lookups;

/// Mode of a file of a ConfigMap, Secret or the downward API.
const FILE_MODE: i32 = 0o644;
/// Mode of an emptyDir: whoever the container runs as may write.
const SHARED_MODE: u32 = 0o777;

/// Why a volume isn't there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// It can be there later.
    NotYet(String),
    /// It never will.
    Never(String),
}

/// A volume of the pod on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ready {
    path: PathBuf,
    /// Containers can't write to it, whatever they ask for.
    read_only: bool,
}

/// What volumes are made from.
pub(super) struct Sources<'a> {
    pub(super) pod: &'a Pod,
    pub(super) place: &'a Place,
    pub(super) lookups: &'a dyn Lookups,
    /// The pod's folder for volumes.
    pub(super) folder: &'a Path,
    /// The run's folder for claims.
    pub(super) claims: &'a Path,
}

impl Sources<'_> {
    /// Makes all volumes of the pod.
    pub(super) fn make(&self) -> Result<BTreeMap<String, Ready>, Refused> {
        let volumes = self
            .pod
            .spec
            .iter()
            .flat_map(|s| s.volumes.iter().flatten());
        volumes
            .map(|volume| Ok((volume.name.clone(), self.one(volume)?)))
            .collect()
    }

    fn namespace(&self) -> &str {
        self.pod.metadata.namespace.as_deref().unwrap_or_default()
    }

    fn one(&self, volume: &Volume) -> Result<Ready, Refused> {
        let path = self.folder.join(&volume.name);
        let wrong = |why: String| {
            Refused::Never(format!(
                "MountVolume.SetUp failed for volume \"{}\" : {why}",
                volume.name
            ))
        };
        let files = if volume.empty_dir.is_some() || volume.ephemeral.is_some() {
            shared(&path).map_err(|e| wrong(e.to_string()))?;
            return Ok(Ready {
                path,
                read_only: false,
            });
        } else if let Some(claim) = &volume.persistent_volume_claim {
            let path = self
                .claims
                .join(format!("{}_{}", self.namespace(), claim.claim_name));
            shared(&path).map_err(|e| wrong(e.to_string()))?;
            return Ok(Ready {
                path,
                read_only: claim.read_only == Some(true),
            });
        } else if let Some(host) = &volume.host_path {
            return host_path(host).map_err(wrong);
        } else if let Some(source) = &volume.config_map {
            let mut files = Files::new(source.default_mode);
            self.config_map(
                &mut files,
                &source.name,
                source.items.as_deref(),
                source.optional,
            )
            .map_err(|e| later(&volume.name, e))?;
            files
        } else if let Some(source) = &volume.secret {
            let mut files = Files::new(source.default_mode);
            self.secret(
                &mut files,
                source.secret_name.as_deref().unwrap_or_default(),
                source.items.as_deref(),
                source.optional,
            )
            .map_err(|e| later(&volume.name, e))?;
            files
        } else if let Some(source) = &volume.downward_api {
            let mut files = Files::new(source.default_mode);
            self.downward(&mut files, source.items.as_deref())
                .map_err(wrong)?;
            files
        } else if let Some(source) = &volume.projected {
            let mut files = Files::new(source.default_mode);
            for part in source.sources.iter().flatten() {
                let done = if let Some(map) = &part.config_map {
                    self.config_map(&mut files, &map.name, map.items.as_deref(), map.optional)
                } else if let Some(secret) = &part.secret {
                    self.secret(
                        &mut files,
                        &secret.name,
                        secret.items.as_deref(),
                        secret.optional,
                    )
                } else if let Some(api) = &part.downward_api {
                    self.downward(&mut files, api.items.as_deref())
                        .map_err(wrong)?;
                    Ok(())
                } else {
                    return Err(wrong(
                        "this kind of projected source can't be had without a cluster".to_owned(),
                    ));
                };
                done.map_err(|e| later(&volume.name, e))?;
            }
            files
        } else {
            return Err(wrong(
                "this kind of volume can't be had without a cluster".to_owned(),
            ));
        };
        files.write(&path).map_err(wrong)?;
        Ok(Ready {
            path,
            read_only: true,
        })
    }

    fn config_map(
        &self,
        files: &mut Files,
        name: &str,
        items: Option<&[KeyToPath]>,
        optional: Option<bool>,
    ) -> Result<(), String> {
        let Some(map) = self.lookups.config_map(self.namespace(), name) else {
            return absent(optional, format!("configmap \"{name}\" not found"));
        };
        let mut data: BTreeMap<String, Vec<u8>> = map
            .data
            .into_iter()
            .flatten()
            .map(|(key, text)| (key, text.into_bytes()))
            .collect();
        data.extend(map.binary_data.into_iter().flatten().map(|(k, v)| (k, v.0)));
        files.take(data, items, optional)
    }

    fn secret(
        &self,
        files: &mut Files,
        name: &str,
        items: Option<&[KeyToPath]>,
        optional: Option<bool>,
    ) -> Result<(), String> {
        let Some(secret) = self.lookups.secret(self.namespace(), name) else {
            return absent(optional, format!("secret \"{name}\" not found"));
        };
        let data = secret.data.into_iter().flatten().map(|(k, v)| (k, v.0));
        files.take(data.collect(), items, optional)
    }

    fn downward(
        &self,
        files: &mut Files,
        items: Option<&[DownwardAPIVolumeFile]>,
    ) -> Result<(), String> {
        for item in items.into_iter().flatten() {
            let text = if let Some(field) = &item.field_ref {
                fields::field(self.pod, self.place, &field.field_path)?
            } else if let Some(resource) = &item.resource_field_ref {
                fields::resource(self.pod, None, self.place, resource)?
            } else {
                return Err(format!("file {} has no source", item.path));
            };
            files.put(&item.path, text.into_bytes(), item.mode)?;
        }
        Ok(())
    }
}

fn later(volume: &str, why: String) -> Refused {
    Refused::NotYet(format!(
        "MountVolume.SetUp failed for volume \"{volume}\" : {why}"
    ))
}

fn absent(optional: Option<bool>, why: String) -> Result<(), String> {
    if optional == Some(true) {
        Ok(())
    } else {
        Err(why)
    }
}

fn shared(path: &Path) -> std::io::Result<()> {
    fs::create_dir_all(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(SHARED_MODE))
}

/// Files of a volume before they are written.
struct Files {
    mode: i32,
    files: BTreeMap<PathBuf, (Vec<u8>, i32)>,
}

impl Files {
    fn new(mode: Option<i32>) -> Self {
        Self {
            mode: mode.unwrap_or(FILE_MODE),
            files: BTreeMap::new(),
        }
    }

    /// All keys, or those that are asked for under other paths.
    fn take(
        &mut self,
        mut data: BTreeMap<String, Vec<u8>>,
        items: Option<&[KeyToPath]>,
        optional: Option<bool>,
    ) -> Result<(), String> {
        let Some(items) = items.filter(|items| !items.is_empty()) else {
            return data
                .into_iter()
                .try_for_each(|(key, value)| self.put(&key, value, None));
        };
        for item in items {
            match data.remove(&item.key) {
                Some(value) => self.put(&item.path, value, item.mode)?,
                None => absent(
                    optional,
                    format!("references non-existent config key: {}", item.key),
                )?,
            }
        }
        Ok(())
    }

    fn put(&mut self, path: &str, content: Vec<u8>, mode: Option<i32>) -> Result<(), String> {
        let inside = inside(path).ok_or_else(|| format!("path {path} leaves the volume"))?;
        self.files
            .insert(inside, (content, mode.unwrap_or(self.mode)));
        Ok(())
    }

    fn write(&self, folder: &Path) -> Result<(), String> {
        let shown = |e: std::io::Error| format!("{}: {e}", folder.display());
        fs::create_dir_all(folder).map_err(shown)?;
        for (path, (content, mode)) in &self.files {
            let path = folder.join(path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).map_err(shown)?;
            }
            // A second try meets the files of the first, which may forbid to be written.
            let _ = fs::remove_file(&path);
            fs::write(&path, content).map_err(shown)?;
            let mode = u32::try_from(*mode).unwrap_or_default();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).map_err(shown)?;
        }
        Ok(())
    }
}

/// A relative path that stays below where it begins.
fn inside(path: &str) -> Option<PathBuf> {
    let path = Path::new(path);
    path.components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        .then(|| path.to_path_buf())
}

fn host_path(host: &HostPathVolumeSource) -> Result<Ready, String> {
    let path = PathBuf::from(&host.path);
    let kind = host.type_.as_deref().unwrap_or_default();
    let io = |e: std::io::Error| format!("hostPath {}: {e}", host.path);
    match kind {
        "DirectoryOrCreate" => fs::create_dir_all(&path).map_err(io)?,
        "FileOrCreate" if !path.exists() => drop(fs::File::create(&path).map_err(io)?),
        _ => {}
    }
    let found = fs::metadata(&path).map_err(io)?.file_type();
    let fits = match kind {
        "Directory" | "DirectoryOrCreate" => found.is_dir(),
        "File" | "FileOrCreate" => found.is_file(),
        "Socket" => found.is_socket(),
        "CharDevice" => found.is_char_device(),
        "BlockDevice" => found.is_block_device(),
        _ => true,
    };
    if !fits {
        return Err(format!(
            "hostPath type check failed: {} is not a {kind}",
            host.path
        ));
    }
    Ok(Ready {
        path,
        read_only: false,
    })
}

/// Mounts of a container.
///
/// # Errors
/// In the words of `CreateContainerConfigError`.
pub(super) fn mounts(
    container: &Container,
    volumes: &BTreeMap<String, Ready>,
    env: &BTreeMap<String, String>,
) -> Result<Vec<Mount>, String> {
    let mut mounts = Vec::new();
    for mount in container.volume_mounts.iter().flatten() {
        let volume = volumes
            .get(&mount.name)
            .ok_or_else(|| format!("cannot find volume \"{}\"", mount.name))?;
        let sub_path = match (&mount.sub_path_expr, &mount.sub_path) {
            (Some(text), _) => Some(expand(text, env)),
            (None, text) => text.clone().filter(|t| !t.is_empty()),
        };
        let source = match sub_path {
            None => volume.path.clone(),
            Some(sub) => {
                let below = inside(&sub)
                    .ok_or_else(|| format!("unsafe subPath \"{sub}\" of \"{}\"", mount.name))?;
                let path = volume.path.join(below);
                if !path.exists() && !volume.read_only {
                    shared(&path).map_err(|e| {
                        format!(
                            "failed to create subPath directory for volumeMount \"{}\": {e}",
                            mount.name
                        )
                    })?;
                }
                path
            }
        };
        mounts.push(Mount {
            source: source.to_string_lossy().into_owned(),
            target: mount.mount_path.clone(),
            read_only: volume.read_only || mount.read_only == Some(true),
            optional: false,
        });
    }
    Ok(mounts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_may_not_leave_its_volume() {
        assert!(inside("a/b").is_some());
        for path in ["../a", "a/../../b", "/a"] {
            assert!(inside(path).is_none(), "{path}");
        }
    }

    #[test]
    fn items_choose_keys_and_paths() {
        let mut files = Files::new(None);
        let data = BTreeMap::from([
            ("a".to_owned(), b"1".to_vec()),
            ("b".to_owned(), b"2".to_vec()),
        ]);
        let item = |key: &str| KeyToPath {
            key: key.to_owned(),
            path: "x/y".to_owned(),
            mode: Some(0o600),
            ..KeyToPath::default()
        };
        files.take(data.clone(), Some(&[item("b")]), None).unwrap();
        assert_eq!(
            files.files,
            BTreeMap::from([(PathBuf::from("x/y"), (b"2".to_vec(), 0o600))])
        );
        assert!(files.take(data.clone(), Some(&[item("c")]), None).is_err());
        assert!(files.take(data, Some(&[item("c")]), Some(true)).is_ok());
    }
}
