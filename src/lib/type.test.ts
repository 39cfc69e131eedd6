import { Type as TypeBox } from 'typebox'
import { expect, it } from 'vitest'
import { Type } from './type.ts'

it('Type builds the same schemas as TypeBox', () => {
  const build = (t: typeof Type) => [
    t.Object({ name: t.String({ minLength: 1 }), size: t.Optional(t.Integer({ minimum: 1 })) }, { title: 'A thing' }),
    t.Object({ size: t.Optional(t.Integer()) }, { additionalProperties: false }),
    t.Object({}),
    t.Array(t.Boolean({ examples: [true] }), { minItems: 1 }),
    t.Union([t.Number({ minimum: 0 }), t.Null()], { description: 'A number, or null' }),
    t.Union([t.Literal('a'), t.Literal(1), t.Literal(true, { title: 'Yes' })]),
    t.Record(t.String(), t.Integer(), { maxProperties: 3 }),
    t.Object({ value: t.Optional(t.Unsafe({ type: ['string', 'null'] })), other: t.Unsafe({ ...t.Null() }) }),
  ]
  const [schemas, expectedSchemas] = [Type, TypeBox as typeof Type].map((builders) =>
    build(builders).map((schema) => JSON.stringify(schema)),
  )
  expect(schemas).toEqual(expectedSchemas)
})
