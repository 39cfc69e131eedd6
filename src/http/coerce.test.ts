import { describe, expect, it } from 'vitest'
import { nullable } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { coerce } from './coerce.ts'

const schema: object = Type.Object({
  n: Type.Integer(),
  amount: Type.Number(),
  flag: Type.Boolean(),
  list: Type.Array(Type.Integer()),
  text: Type.String(),
  maybe: nullable(Type.Integer()),
  nested: Type.Object({ n: Type.Integer() }),
})

const coerceJson = (value: object) => coerce(schema, value, false)
const coerceForm = (value: object) => coerce(schema, value, true)

describe('coerce', () => {
  it.each([
    ['7', 7],
    ['-7', -7],
    ['007', 7],
    [7, 7],
    ['7.0', '7.0'],
    ['', ''],
    [' 7', ' 7'],
    ['0x7', '0x7'],
    ['1e3', '1e3'],
    [null, null],
    [true, true],
  ])('reads %j as an integer: %j', (input, expected) => {
    expect(coerceJson({ n: input })).toEqual({ n: expected })
  })

  it.each([
    ['7', 7],
    ['0.5', 0.5],
    ['-12.25', -12.25],
    [0.5, 0.5],
    ['.5', '.5'],
    ['5.', '5.'],
    ['1e3', '1e3'],
    ['0,5', '0,5'],
    ['', ''],
    [null, null],
  ])('reads %j as a number: %j', (input, expected) => {
    expect(coerceJson({ amount: input })).toEqual({ amount: expected })
  })

  it.each([
    ['true', true],
    ['false', false],
    ['1', true],
    ['0', false],
    [1, true],
    [0, false],
    [true, true],
    ['yes', 'yes'],
    ['TRUE', 'TRUE'],
    ['', ''],
    [2, 2],
    [null, null],
  ])('reads %j as a boolean: %j', (input, expected) => {
    expect(coerceJson({ flag: input })).toEqual({ flag: expected })
  })

  it('leaves strings unchanged', () => {
    expect(coerceJson({ text: '1' })).toEqual({ text: '1' })
    expect(coerceJson({ text: 1 })).toEqual({ text: 1 })
  })

  it('accepts one value for a list in a form, but not in JSON', () => {
    expect(coerceForm({ list: '1' })).toEqual({ list: [1] })
    expect(coerceForm({ list: ['1', '2'] })).toEqual({ list: [1, 2] })
    expect(coerceJson({ list: '1' })).toEqual({ list: '1' })
  })

  it('coerces nullable fields and nested objects', () => {
    expect(coerceJson({ maybe: '7', nested: { n: '7' } })).toEqual({ maybe: 7, nested: { n: 7 } })
    expect(coerceJson({ maybe: null })).toEqual({ maybe: null })
  })

  it('rejects null characters, which PostgreSQL cannot store', () => {
    expect(() => coerceJson({ nested: { other: 'a\0b' } })).toThrow('`nested.other` must not contain a null character.')
  })

  it('leaves unknown fields unchanged', () => {
    expect(coerceJson({ other: '7' })).toEqual({ other: '7' })
  })
})
