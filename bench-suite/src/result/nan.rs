//! Numbers that may not be finite, in JSON.

/// One number; what is not finite travels as `null`.
pub mod nan_as_null {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(x: &f64, out: S) -> Result<S::Ok, S::Error> {
        x.is_finite().then_some(*x).serialize(out)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        Ok(Option::<f64>::deserialize(from)?.unwrap_or(f64::NAN))
    }
}

/// Many numbers; those that are not finite travel as `null`.
pub mod nans_as_null {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(x: &[f64], out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(x.iter().map(|x| x.is_finite().then_some(*x)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
        let values = Vec::<Option<f64>>::deserialize(from)?;
        Ok(values.into_iter().map(|x| x.unwrap_or(f64::NAN)).collect())
    }
}
