//! A pocket cluster, furnished and served: nodes, three users, two namespaces in which one of them has
//! the Role that everybody is advised to use. The same as tests/cluster/up makes of a real one.

use k8s_openapi::jiff::Timestamp;
use serde_json::{Value, json};

use crate::cluster::api::rights::ADMIN;
use crate::cluster::api::{Request, Verb, WriteOptions};
use crate::cluster::controllers::node::NodeShape;
use crate::cluster::front::http::Server;
use crate::cluster::front::shared::Shared;
use crate::cluster::front::users::Users;
use crate::cluster::object::Kind;
use crate::cluster::pace::Pace;
use crate::cluster::world::{World, WorldOptions};
use crate::error::{Error, Result};

/// The Role that [`USER`] has.
const ROLE: &str = include_str!("../../../examples/role.yaml");
/// Has just that Role.
pub const USER: &str = "jobset-user";
/// May do nothing.
pub const OTHER: &str = "jobset-other";
/// Where [`USER`] has the Role.
pub const NAMESPACES: [&str; 2] = ["jobset-e2e", "parity"];
/// Racks that nodes are spread over, one after the other.
const RACKS: usize = 5;

/// What is wanted.
#[derive(Clone, Debug)]
pub struct PocketOptions {
    /// The first moment.
    pub start: Timestamp,
    /// Port; 0 for any.
    pub port: u16,
    /// Nodes.
    pub nodes: usize,
    /// Resource and amount of each node, where it isn't what nodes usually have.
    pub capacity: Vec<(String, String)>,
    /// Decides names, UIDs and jitter.
    pub seed: u64,
    /// How long things take.
    pub pace: Pace,
}

impl PocketOptions {
    /// Twenty nodes on any port.
    #[must_use]
    pub fn new(start: Timestamp, seed: u64) -> Self {
        Self {
            start,
            port: 0,
            nodes: 20,
            capacity: Vec::new(),
            seed,
            pace: Pace::default(),
        }
    }
}

/// See the module.
#[derive(Debug)]
pub struct Pocket {
    server: Server,
    shared: Shared,
    users: Users,
}

impl Pocket {
    /// Listens; nothing is answered before [`Self::serve`].
    ///
    /// # Errors
    /// The port is taken.
    pub async fn bind(options: &PocketOptions) -> Result<Self> {
        let mut world = World::new(WorldOptions {
            pace: options.pace.clone(),
            ..WorldOptions::new(options.start, options.seed)
        });
        furnish(&mut world, options)?;
        Ok(Self {
            server: Server::bind(options.port).await?,
            shared: Shared::new(world),
            users: Users::default(),
        })
    }

    /// `https://127.0.0.1:40001`
    #[must_use]
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// The world.
    #[must_use]
    pub fn shared(&self) -> &Shared {
        &self.shared
    }

    /// A kubeconfig for a user, who is let in with the token in it.
    ///
    /// # Errors
    /// The system gives no random numbers.
    pub fn kubeconfig(&mut self, user: &str, namespace: &str) -> Result<String> {
        let token = Users::token()
            .ok_or_else(|| Error::other("the system gives no random numbers for a token"))?;
        self.users.add(user, &token);
        Ok(self.server.kubeconfig(user, &token, namespace))
    }

    /// Answers, and moves the world's clock, for as long as it is polled.
    pub async fn serve(self) {
        let pump = self.shared.clone().pump();
        tokio::join!(pump, self.server.serve(self.shared, self.users));
    }
}

fn furnish(world: &mut World, options: &PocketOptions) -> Result<()> {
    for number in 0..options.nodes {
        let shape = shape(number, &options.capacity);
        world.add_node(&format!("node-{number}"), shape);
    }
    let role: Value = serde_saphyr::from_str(ROLE)
        .map_err(|e| Error::other("examples/role.yaml can't be read").caused_by(e))?;
    for namespace in NAMESPACES {
        world.add_namespace(namespace);
        create(world, Kind::Role, namespace, role.clone())?;
        let binding = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
            "metadata": {"name": "kubectl-jobset"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "kubectl-jobset"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": USER}],
        });
        create(world, Kind::RoleBinding, namespace, binding)?;
    }
    // As of a cluster that has been up for a while: nobody can watch how it was made.
    for kind in Kind::ALL {
        world.store.compact(*kind);
    }
    Ok(())
}

fn create(world: &mut World, kind: Kind, namespace: &str, object: Value) -> Result<()> {
    let request = Request {
        user: ADMIN.to_owned(),
        kind,
        namespace: Some(namespace.to_owned()),
        name: None,
        subresource: None,
        verb: Verb::Create(WriteOptions::default(), object),
    };
    match world.call(&request) {
        Ok(_) => Ok(()),
        Err(status) => Err(Error::other(status.message)),
    }
}

/// What a node has, where nothing else is said.
fn shape(number: usize, capacity: &[(String, String)]) -> NodeShape {
    let mut shape = NodeShape {
        labels: [("sim/rack".to_owned(), format!("rack-{}", number % RACKS))].into(),
        ..NodeShape::default()
    };
    for (resource, amount) in capacity {
        match resource.as_str() {
            "cpu" => amount.clone_into(&mut shape.cpu),
            "memory" => amount.clone_into(&mut shape.memory),
            _ => {
                shape.extended.insert(resource.clone(), amount.clone());
            }
        }
    }
    shape
}
