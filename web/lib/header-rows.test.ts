import { expect, it } from 'vitest'
import { findRepeatedHeader, toHeaderRows, toHeadersInput } from './header-rows.ts'

it('findRepeatedHeader ignores the case of header names', () => {
  const rows = ['Accept', 'X-A', ' accept '].map((name, key) => ({ key, name, value: '1' }))
  expect(findRepeatedHeader(rows)).toBe('accept')
  expect(findRepeatedHeader(toHeaderRows({ Accept: '1', 'X-A': '2' }))).toBeUndefined()
})

it('the request has only the last characters of unchanged header values, and no empty rows', () => {
  const rows = [...toHeaderRows({ Authorization: 'cdef' }), { key: 1, name: ' X-A ', value: 'b' }]
  expect(toHeadersInput([...rows, { key: 2, name: ' ', value: '' }])).toEqual({ Authorization: 'cdef', 'X-A': 'b' })
})
