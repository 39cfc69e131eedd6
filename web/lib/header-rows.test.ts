import { expect, it } from 'vitest'
import { findRepeatedHeader, toHeaderRows, toHeadersInput } from './header-rows.ts'

it('finds a repeated header, ignoring case', () => {
  const rows = ['Accept', 'X-A', ' accept '].map((name, key) => ({ key, name, value: '1' }))
  expect(findRepeatedHeader(rows)).toBe('accept')
  expect(findRepeatedHeader(toHeaderRows({ Accept: '1', 'X-A': '2' }))).toBeUndefined()
})

it('sends only the last characters of unchanged values, and leaves out empty rows', () => {
  const rows = [...toHeaderRows({ Authorization: 'cdef' }), { key: 1, name: ' X-A ', value: 'b' }]
  expect(toHeadersInput([...rows, { key: 2, name: ' ', value: '' }])).toEqual({ Authorization: 'cdef', 'X-A': 'b' })
})
