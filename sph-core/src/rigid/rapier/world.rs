//! A world of one step, over the types of the module above: the same source for 2D and 3D.

use super::{
    D, angular_velocity, free_axes, mass, pose,
    rapier::{
        CoefficientCombineRule, ColliderBuilder, ColliderHandle, IntegrationParameters, PhysicsWorld,
        RigidBody, RigidBodyBuilder, RigidBodyHandle, SpringCoefficients, Vector,
    },
    shape, turn, turned, turning, vector,
};
use crate::{
    numerics::{lane::each, vector::cross},
    rigid::{
        Obstacle, Rigid,
        rapier::pieces::{self, Piece},
        spatial,
    },
};

/// Contacts are springs of this angle a step, `ω dt`: as stiff as the steps resolve well.
const STIFFNESS: f64 = 0.2;
/// Damping of these springs over the critical one: an overlap goes slowly, and no motion comes of it.
const DAMPING: f64 = 5.0;
/// Unit of rapier's tolerances, in spacings: contacts are foreseen from a fifth of a spacing on.
const UNIT: f64 = 10.0;

/// Sweeps over the contacts in each of rapier's four substeps: more than its standard, since none starts from the
/// impulses of the step before.
const SWEEPS: usize = 4;

/// Bodies and obstacles over one step.
pub struct World {
    physics: PhysicsWorld,
    bodies: Vec<(RigidBodyHandle, ColliderHandle)>,
}

impl World {
    /// An empty world for a step of `dt`, `[s]`, among particles of this spacing, `[m]`.
    pub fn new(spacing: f64, dt: f64) -> Self {
        let mut physics = PhysicsWorld::new();
        physics.gravity = Vector::ZERO;
        let natural_frequency = STIFFNESS / (std::f64::consts::TAU * dt);
        let spring = SpringCoefficients { natural_frequency, damping_ratio: DAMPING };
        physics.integration_parameters = IntegrationParameters {
            dt,
            length_unit: UNIT * spacing,
            contact_softness: spring,
            static_contact_softness: spring,
            normalized_max_linear_velocity: f64::MAX,
            num_internal_pgs_iterations: SWEEPS,
            max_ccd_substeps: 0,
            ..IntegrationParameters::default()
        };
        Self { physics, bodies: Vec::new() }
    }

    /// Adds what bodies cannot pass, with the velocity that it has.
    pub fn add_obstacle(&mut self, obstacle: &Obstacle<'_, D>) {
        let (point, v) = &obstacle.point;
        let still = obstacle.pose.is_none() && *v == [0.0; D] && obstacle.angular_velocity == [0.0; 3];
        let body =
            if still { RigidBodyBuilder::fixed() } else { RigidBodyBuilder::kinematic_velocity_based() };
        let at = obstacle.pose.as_ref().map(pose).unwrap_or_default();
        let arm: [f64; D] = each(|a| at.translation[a] - point[a]);
        let around = cross(obstacle.angular_velocity, spatial(&arm));
        let velocity: [f64; D] = each(|a| v[a] + around[a]);
        let body = body.pose(at).linvel(vector(&velocity)).angvel(turning(&obstacle.angular_velocity));
        let handle = self.physics.insert_body(body);
        for piece in pieces::behind(obstacle.surface) {
            self.add_piece(&piece, handle, 0.0, 0.0);
        }
    }

    /// Adds a body.
    pub fn add_body(&mut self, body: &Rigid<D>) {
        let form = &body.form;
        let at = super::rapier::Pose::from_parts(vector(&body.x), turn(&body.rotation));
        let builder = RigidBodyBuilder::dynamic()
            .pose(at)
            .linvel(vector(&body.velocity()))
            .angvel(turning(&body.angular_velocity()))
            .additional_mass_properties(mass(form))
            .locked_axes(free_axes(form))
            .can_sleep(false);
        let handle = self.physics.insert_body(builder);
        // One piece: a hull that is not convex is one, too.
        let solid = Piece::Solid(form.region.clone());
        if let Some(collider) = self.add_piece(&solid, handle, form.restitution, form.friction) {
            self.bodies.push((handle, collider));
        }
    }

    /// Of two that meet the larger restitution and the larger friction count; obstacles have none of their own.
    fn add_piece(
        &mut self,
        piece: &Piece<D>,
        body: RigidBodyHandle,
        restitution: f64,
        friction: f64,
    ) -> Option<ColliderHandle> {
        let (shape, at) = shape(piece)?;
        // The mass is that of the body: a collider adds none, so the center stays at the origin.
        let collider = ColliderBuilder::new(shape)
            .position(at)
            .density(0.0)
            .restitution(restitution)
            .restitution_combine_rule(CoefficientCombineRule::Max)
            .friction(friction)
            .friction_combine_rule(CoefficientCombineRule::Max);
        Some(self.physics.insert_collider(collider, Some(body)))
    }

    /// Does the step.
    pub fn step(&mut self) {
        self.physics.step();
    }

    /// What has become of the `k`-th body. Returns false, and leaves it alone, when it has touched nothing.
    pub fn read(&self, k: usize, body: &mut Rigid<D>) -> bool {
        let Some(&(handle, collider)) = self.bodies.get(k) else { return false };
        let touches =
            self.physics.narrow_phase.contact_pairs_with(collider).any(|pair| pair.has_any_active_contact());
        match self.physics.bodies.get(handle) {
            Some(moved) if touches => {
                take(moved, body);
                true
            }
            _ => false,
        }
    }
}

fn take(moved: &RigidBody, body: &mut Rigid<D>) {
    let (x, v) = (moved.translation(), moved.linvel());
    body.x = each(|a| x[a]);
    body.rotation = turned(moved.rotation());
    body.set_velocities(&each(|a| v[a]), &angular_velocity(moved));
}
