/** Pieces that the shapes of every resource are made of. */
import { type Static, type TSchema, Type } from 'typebox'

export const time = Type.String({ format: 'date-time', examples: ['2026-01-05T10:00:00.000Z'] })

/** As a list of types and not as a union: a union that does not fit is explained once for each of its parts. */
export function orNull<T extends TSchema & { type: string }>(schema: T) {
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] })
}

export const timeOrNull = orNull(time)

/** A text out of a closed set. */
export function oneOf<T extends string>(allowed: readonly T[], options: object = {}) {
  return Type.Unsafe<T>(Type.String({ enum: [...allowed], ...options }))
}

export function oneOfOrNull<T extends string>(allowed: readonly T[], options: object = {}) {
  return Type.Unsafe<T | null>({ type: ['string', 'null'], enum: [...allowed, null], ...options })
}

/** A field of a body: with what it is by default where something is made, with that as an example where it is changed. */
export function sent<T extends TSchema>(schema: T, isNew: boolean, value: unknown) {
  return Type.Optional({ ...schema, ...(isNew ? { default: value } : { examples: [value] }) } as T)
}

export const id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
export const idPath = Type.Object({ id })

export function one<T extends TSchema>(schema: T) {
  return Type.Object({ data: schema }, { additionalProperties: false })
}

export function listOf<T extends TSchema, M extends TSchema>(schema: T, meta: M) {
  return Type.Object({ data: Type.Array(schema), meta }, { additionalProperties: false })
}

export function deletedOf<T extends string>(object: T) {
  return Type.Object(
    { id: Type.Integer(), object: Type.Literal(object), deleted: Type.Literal(true) },
    { additionalProperties: false },
  )
}

export function deleted<T extends string>(object: T, id: number) {
  return { id, object, deleted: true as const }
}
