/** Building blocks of the request and response schemas. */
import type { Static, TSchema } from 'typebox'
import { Type } from './type.ts'

export const timestamp = Type.String({ format: 'date-time', examples: ['2026-01-05T10:00:00.000Z'] })

/** Uses a list of types rather than a union, because a validator reports one error for every member of a union. */
export function nullable<T extends TSchema & { type: string }>(schema: T) {
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] })
}

export const timestampOrNull = nullable(timestamp)

export function stringEnum<T extends string>(allowedValues: readonly T[], options: object = {}) {
  return Type.Unsafe<T>(Type.String({ enum: [...allowedValues], ...options }))
}

export function stringEnumOrNull<T extends string>(allowedValues: readonly T[], options: object = {}) {
  return Type.Unsafe<T | null>({ type: ['string', 'null'], enum: [...allowedValues, null], ...options })
}

/** Describes a field of a request body. `value` is the default in a create request, and only an example in an update. */
export function inputField<T extends TSchema>(schema: T, isNew: boolean, value: unknown) {
  return Type.Optional({ ...schema, ...(isNew ? { default: value } : { examples: [value] }) } as T)
}

export const resourceId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
export const idParams = Type.Object({ id: resourceId })

export function itemResponse<T extends TSchema>(schema: T) {
  return Type.Object({ data: schema }, { additionalProperties: false })
}

export function listResponse<T extends TSchema, M extends TSchema>(schema: T, meta: M) {
  return Type.Object({ data: Type.Array(schema), meta }, { additionalProperties: false })
}

export function deletedResponse<T extends string>(object: T) {
  return Type.Object(
    { id: Type.Integer(), object: Type.Literal(object), deleted: Type.Literal(true) },
    { additionalProperties: false },
  )
}

export function toDeleted<T extends string>(object: T, id: number) {
  return { id, object, deleted: true as const }
}

/** The `meta` of a list that is requested by `page` and `pageSize`. */
export const PageMeta = Type.Object(
  {
    page: Type.Integer({ examples: [1] }),
    pageSize: Type.Integer({ examples: [20] }),
    total: Type.Integer({ examples: [3] }),
    totalPages: Type.Integer({ examples: [1] }),
  },
  { additionalProperties: false },
)
