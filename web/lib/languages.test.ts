import { expect, it } from 'vitest'
import { selectValidLanguages } from './languages.ts'

it('selectValidLanguages omits languages that are not valid', () => {
  expect(selectValidLanguages(['en-US@posix', 'de-AT', '', 'en'])).toEqual(['de-AT', 'en'])
  expect(selectValidLanguages(['en-US@posix'])).toEqual([])
})
