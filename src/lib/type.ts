/**
 * Builds the same JSON Schemas as TypeBox, with TypeBox's static types. Loading TypeBox itself (370 modules) would take 0.2 s of
 * processor time and 8 MB at every start.
 */
import type { Type as TypeBox } from 'typebox'

type BuilderName =
  | 'Array'
  | 'Boolean'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unsafe'

type Schema = Record<string, unknown>

/**
 * Marks an optional schema, which `Type.Object` doesn't list as required. The property isn't enumerable, so it appears
 * neither in JSON nor in copies.
 */
const isOptional = Symbol('isOptional')

function buildObject(properties: Record<string, Schema>, options?: Schema): Schema {
  const required = Object.keys(properties).filter((name) => !(isOptional in (properties[name] as Schema)))
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
}

const builders: Record<BuilderName, unknown> = {
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Schema) => ({ type: 'boolean', ...options }),
  Integer: (options?: Schema) => ({ type: 'integer', ...options }),
  Literal: (value: string | number | boolean, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Null: (options?: Schema) => ({ type: 'null', ...options }),
  Number: (options?: Schema) => ({ type: 'number', ...options }),
  Object: buildObject,
  Optional: (schema: Schema) => Object.defineProperty({ ...schema }, isOptional, { value: true }),
  Record: (_name: Schema, value: Schema, options?: Schema) => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  String: (options?: Schema) => ({ type: 'string', ...options }),
  Union: (anyOf: Schema[], options?: Schema) => ({ anyOf, ...options }),
  Unsafe: (schema: Schema) => ({ ...schema }),
}

export const Type = builders as Pick<typeof TypeBox, BuilderName>
