import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { nullable } from '../lib/schemas.ts'
import { coerce } from './coerce.ts'

const schema: object = Type.Object({
  n: Type.Integer(),
  flag: Type.Boolean(),
  list: Type.Array(Type.Integer()),
  text: Type.String(),
  maybe: nullable(Type.Integer()),
  nested: Type.Object({ n: Type.Integer() }),
})

const json = (value: object) => coerce(schema, value, false)
const form = (value: object) => coerce(schema, value, true)

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
    expect(json({ n: input })).toEqual({ n: expected })
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
    expect(json({ flag: input })).toEqual({ flag: expected })
  })

  it('leaves strings unchanged', () => {
    expect(json({ text: '1' })).toEqual({ text: '1' })
    expect(json({ text: 1 })).toEqual({ text: 1 })
  })

  it('accepts one value for a list in a form, but not in JSON', () => {
    expect(form({ list: '1' })).toEqual({ list: [1] })
    expect(form({ list: ['1', '2'] })).toEqual({ list: [1, 2] })
    expect(json({ list: '1' })).toEqual({ list: '1' })
  })

  it('coerces nullable fields and nested objects', () => {
    expect(json({ maybe: '7', nested: { n: '7' } })).toEqual({ maybe: 7, nested: { n: 7 } })
    expect(json({ maybe: null })).toEqual({ maybe: null })
  })

  it('rejects null characters, which PostgreSQL cannot store', () => {
    expect(() => json({ nested: { other: 'a\0b' } })).toThrow('`nested.other` must not contain a null character.')
  })

  it('leaves unknown fields unchanged', () => {
    expect(json({ other: '7' })).toEqual({ other: '7' })
  })
})
