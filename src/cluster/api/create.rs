//! New objects: from a body, or from a controller's own hands.

use std::sync::Arc;

use serde_json::Value;

use crate::cluster::api::request::{Answer, FieldValidation, Request, WriteOptions};
use crate::cluster::api::rights::{self, SYSTEM};
use crate::cluster::api::status::Status;
use crate::cluster::api::{decode, defaults, meta, prepare, validate};
use crate::cluster::object::{Kind, Object};
use crate::cluster::store::Key;
use crate::cluster::world::World;

/// Who creates what where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Creation<'a> {
    pub(super) user: &'a str,
    pub(super) kind: Kind,
    pub(super) namespace: &'a str,
    pub(super) dry_run: bool,
    pub(super) validation: FieldValidation,
}

impl World {
    /// Creates an object as a controller does: filled in, checked and admitted like any other.
    ///
    /// # Errors
    /// The API's refusal.
    pub(in crate::cluster) fn create(&mut self, mut object: Object) -> Result<Arc<Object>, Status> {
        defaults::apply(&mut object);
        let namespace = object.namespace().to_owned();
        let creation = Creation {
            user: SYSTEM,
            kind: object.kind(),
            namespace: &namespace,
            dry_run: false,
            validation: FieldValidation::Ignore,
        };
        creation.create(self, object, &mut Vec::new())
    }
}

impl<'a> Creation<'a> {
    pub(super) fn of(request: &'a Request, options: &WriteOptions) -> Self {
        Self {
            user: &request.user,
            kind: request.kind,
            namespace: request.place(),
            dry_run: options.dry_run,
            validation: options.validation,
        }
    }

    pub(super) fn answer(self, world: &mut World, value: &Value) -> Result<Answer, Status> {
        let mut warnings = Vec::new();
        let object = decode::body(self.kind, value.clone(), self.validation, &mut warnings)?;
        let object = self.create(world, object, &mut warnings)?;
        Ok(Answer::object(201, object, warnings))
    }

    /// All that happens to an object with its defaults until it is there.
    pub(super) fn create(
        self,
        world: &mut World,
        mut object: Object,
        warnings: &mut Vec<String>,
    ) -> Result<Arc<Object>, Status> {
        meta::place(self.kind, object.meta_mut(), self.namespace)?;
        meta::wipe(object.meta_mut());
        self.namespace_takes(world, &object)?;
        world.stamp(object.meta_mut());
        let generated = self.name(world, &mut object);
        prepare::for_create(world, &mut object);
        let problems = validate::create(&object);
        if !problems.is_empty() {
            return Err(Status::invalid(self.kind, object.name(), problems));
        }
        warnings.extend(validate::warnings(&object));
        if let Object::Job(job) = &mut object {
            // Those that its selector has brought, too.
            defaults::job_labels(job);
        }
        meta::tidy(object.meta_mut());
        rights::may_block_owners(world, self.user, &object, None)?;
        let key = Key::of(&object);
        let quotas = world.admit(&object)?;
        if let Some(there) = world.store.get(&key) {
            return Err(exists(&key, there, generated));
        }
        if has_version(&object) {
            return Err(Status::new(
                500,
                "",
                "resourceVersion should not be set on objects to be created",
            ));
        }
        object.meta_mut().resource_version = None;
        if self.dry_run {
            return Ok(Arc::new(object));
        }
        for quota in quotas {
            world.put(quota.into());
        }
        Ok(world.put(object))
    }

    /// The namespace has to be there, and to stay.
    fn namespace_takes(self, world: &World, object: &Object) -> Result<(), Status> {
        if !self.kind.info().namespaced || world.any_namespace {
            return Ok(());
        }
        let Some(namespace) = world
            .store
            .get(&Key::new(Kind::Namespace, "", self.namespace))
        else {
            return Err(Status::not_found(Kind::Namespace, self.namespace));
        };
        if namespace.meta().deletion_timestamp.is_none() {
            return Ok(());
        }
        let meta = object.meta();
        let name = [&meta.name, &meta.generate_name]
            .into_iter()
            .find_map(|name| name.as_deref().filter(|name| !name.is_empty()))
            .unwrap_or("Unknown");
        let message = format!(
            "unable to create new content in namespace {} because it is being terminated",
            self.namespace
        );
        let mut status = Status::forbidden(self.kind, name, &message);
        status.causes.push(crate::cluster::api::status::Cause {
            reason: "NamespaceTerminating".to_owned(),
            message: format!("namespace {} is being terminated", self.namespace),
            field: "metadata.namespace".to_owned(),
        });
        Err(status)
    }

    /// A name is generated where there is none but a prefix; whether it was.
    fn name(self, world: &mut World, object: &mut Object) -> bool {
        let meta = object.meta();
        let prefix = meta.generate_name.as_deref().unwrap_or_default();
        if prefix.is_empty() || !meta.name.as_deref().unwrap_or_default().is_empty() {
            return false;
        }
        let name = format!("{}{}", meta::prefix(prefix), world.suffix());
        object.meta_mut().name = Some(name);
        true
    }
}

fn has_version(object: &Object) -> bool {
    let version = object.meta().resource_version.as_deref();
    version.is_some_and(|version| !matches!(version, "" | "0"))
}

fn exists(key: &Key, there: &Object, generated: bool) -> Status {
    let mut status = Status::already_exists(key.kind, &key.name);
    if generated {
        status
            .message
            .push_str(", the server was not able to generate a unique name for the object");
        status.retry_after = Some(1);
    }
    if there.meta().deletion_timestamp.is_some() {
        status.message = format!("object is being deleted: {}", status.message);
    }
    status
}
