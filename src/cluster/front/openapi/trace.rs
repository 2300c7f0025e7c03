//! The schema of a type, read off its decoder: a deserializer that hands out sample values and notes what
//! was asked for. So what is told of a kind can't differ from what is taken.

use std::collections::BTreeMap;

use serde::de::value::{Error, StrDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IntoDeserializer as _, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Value, json};

/// Schemas of structs by their name.
pub(super) type Schemas = BTreeMap<String, Value>;

/// Decodes one value, and leaves its schema in `out`.
pub(super) struct Tracer<'a> {
    pub(super) schemas: &'a mut Schemas,
    pub(super) out: &'a mut Value,
    /// Name of the wrapper that is being decoded, which decides over samples.
    pub(super) wrapper: &'static str,
}

impl<'a> Tracer<'a> {
    /// Begins with a type.
    pub(super) fn new(schemas: &'a mut Schemas, out: &'a mut Value) -> Self {
        Self {
            schemas,
            out,
            wrapper: "",
        }
    }

    fn text<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let sample = match self.wrapper {
            "Time" => {
                *self.out = json!({"type": "string", "format": "date-time"});
                "2000-01-01T00:00:00Z"
            }
            "MicroTime" => {
                *self.out = json!({"type": "string", "format": "date-time"});
                "2000-01-01T00:00:00.000000Z"
            }
            // Good base64 as well.
            _ => {
                *self.out = json!({"type": "string"});
                "AAAA"
            }
        };
        visitor.visit_str(sample)
    }
}

macro_rules! plain {
    ($($method:ident $visit:ident $value:literal $schema:tt;)*) => {
        $(
            fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
                *self.out = json!($schema);
                visitor.$visit($value)
            }
        )*
    };
}

impl<'de> Deserializer<'de> for Tracer<'_> {
    type Error = Error;

    plain! {
        deserialize_bool visit_bool false {"type": "boolean"};
        deserialize_i8 visit_i8 0 {"type": "integer", "format": "int32"};
        deserialize_i16 visit_i16 0 {"type": "integer", "format": "int32"};
        deserialize_i32 visit_i32 0 {"type": "integer", "format": "int32"};
        deserialize_i64 visit_i64 0 {"type": "integer", "format": "int64"};
        deserialize_u8 visit_u8 0 {"type": "integer", "format": "int32"};
        deserialize_u16 visit_u16 0 {"type": "integer", "format": "int32"};
        deserialize_u32 visit_u32 0 {"type": "integer", "format": "int32"};
        deserialize_u64 visit_u64 0 {"type": "integer", "format": "int64"};
        deserialize_f32 visit_f32 0.0 {"type": "number", "format": "double"};
        deserialize_f64 visit_f64 0.0 {"type": "number", "format": "double"};
        deserialize_char visit_char 'a' {"type": "string"};
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.wrapper == "FieldsV1" {
            *self.out = json!({"type": "object"});
            return visitor.visit_map(Nothing);
        }
        *self.out = json!({"x-kubernetes-int-or-string": true, "oneOf": [{"type": "integer"}, {"type": "string"}]});
        visitor.visit_i64(0)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.text(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.text(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.text(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.text(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.text(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        *self.out = json!({"type": "object"});
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.wrapper = name;
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut items = Value::Null;
        let value = visitor.visit_seq(One {
            schemas: self.schemas,
            out: &mut items,
            left: true,
        })?;
        *self.out = json!({"type": "array", "items": items});
        Ok(value)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut values = Value::Null;
        let value = visitor.visit_map(One {
            schemas: self.schemas,
            out: &mut values,
            left: true,
        })?;
        *self.out = json!({"type": "object", "additionalProperties": values});
        Ok(value)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let reference = format!("#/components/schemas/{name}");
        // As Kubernetes writes it: a bare reference can't carry anything else.
        *self.out = json!({"allOf": [{"$ref": reference}], "default": {}});
        if self.schemas.contains_key(name) {
            return visitor.visit_map(Nothing);
        }
        self.schemas.insert(name.to_owned(), Value::Null);
        let mut properties = Map::new();
        let value = visitor.visit_map(Fields {
            schemas: &mut *self.schemas,
            properties: &mut properties,
            left: fields,
            now: "",
        })?;
        let schema = json!({"type": "object", "properties": properties});
        self.schemas.insert(name.to_owned(), schema);
        Ok(value)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.out = json!({"type": "string", "enum": variants});
        let first: StrDeserializer<'_, Error> = variants
            .first()
            .copied()
            .unwrap_or_default()
            .into_deserializer();
        visitor.visit_enum(first)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }
}

/// Each field once.
struct Fields<'a> {
    schemas: &'a mut Schemas,
    properties: &'a mut Map<String, Value>,
    left: &'static [&'static str],
    now: &'static str,
}

impl<'de> MapAccess<'de> for Fields<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        while let Some((name, rest)) = self.left.split_first() {
            self.left = rest;
            // Their values are fixed, and checked.
            if matches!(*name, "apiVersion" | "kind") {
                self.properties
                    .insert((*name).to_owned(), json!({"type": "string"}));
                continue;
            }
            self.now = name;
            let key: StrDeserializer<'_, Error> = (*name).into_deserializer();
            return seed.deserialize(key).map(Some);
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let mut out = Value::Null;
        let value = seed.deserialize(Tracer::new(self.schemas, &mut out))?;
        self.properties.insert(self.now.to_owned(), out);
        Ok(value)
    }
}

/// One element of a list, or one entry of a map.
struct One<'a> {
    schemas: &'a mut Schemas,
    out: &'a mut Value,
    left: bool,
}

impl<'de> SeqAccess<'de> for One<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        if !std::mem::take(&mut self.left) {
            return Ok(None);
        }
        let tracer = Tracer::new(self.schemas, self.out);
        seed.deserialize(tracer).map(Some)
    }
}

impl<'de> MapAccess<'de> for One<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        if !std::mem::take(&mut self.left) {
            return Ok(None);
        }
        let key: StrDeserializer<'_, Error> = "key".into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(Tracer::new(self.schemas, self.out))
    }
}

/// A struct that has been seen.
struct Nothing;

impl<'de> MapAccess<'de> for Nothing {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, _: K) -> Result<Option<K::Value>, Error> {
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("there is no value"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::object::{Kind, Object};

    #[test]
    fn fields_are_found_all_the_way_down() {
        let mut schemas = Schemas::new();
        for kind in Kind::ALL {
            let mut out = Value::Null;
            let tracer = Tracer::new(&mut schemas, &mut out);
            Object::decode(*kind, tracer).unwrap_or_else(|e| panic!("{kind:?}: {e}"));
        }
        let field = |name: &str, field: &str| &schemas[name]["properties"][field];
        assert_eq!(field("JobSpec", "parallelism")["type"], "integer");
        assert_eq!(
            field("JobSpec", "template")["allOf"][0]["$ref"],
            "#/components/schemas/PodTemplateSpec"
        );
        assert_eq!(
            field("PodSpec", "containers")["items"]["allOf"][0]["$ref"],
            "#/components/schemas/Container"
        );
        assert_eq!(
            field("ConfigMap", "data")["additionalProperties"]["type"],
            "string"
        );
        assert_eq!(
            field("ObjectMeta", "creationTimestamp")["format"],
            "date-time"
        );
        assert_eq!(
            field("ServicePort", "targetPort")["x-kubernetes-int-or-string"],
            true
        );
        assert!(schemas.values().all(|schema| schema["type"] == "object"));
    }
}
