import { Type as TypeBox } from 'typebox'
import { expect, it } from 'vitest'
import { Type } from './type.ts'

type Builders = typeof Type

it('builds the same schemas as TypeBox', () => {
  const build = ({ Array, Boolean, Integer, Literal, Null, Number, Object, Optional, ...others }: Builders) => [
    Object({ name: others.String({ minLength: 1 }), size: Optional(Integer({ minimum: 1 })) }, { title: 'A thing' }),
    Object({ size: Optional(Integer()) }, { additionalProperties: false }),
    Object({}),
    Array(Boolean({ examples: [true] }), { minItems: 1 }),
    Array(Number()),
    others.Union([Number({ minimum: 0 }), Null()], { description: 'A number, or null' }),
    others.Union([Literal('a'), Literal(1), Literal(true, { title: 'Yes' })]),
    others.Record(others.String(), Integer(), { maxProperties: 3 }),
    others.Unsafe({ type: ['string', 'null'] }),
    Object({ value: Optional(others.Unsafe({ type: ['string', 'null'] })), ...{ other: Null() } }),
  ]
  const schemas = build(Type)
  expect(schemas.map((schema) => JSON.stringify(schema))).toEqual(
    build(TypeBox as Builders).map((schema) => JSON.stringify(schema)),
  )
})
