import { expect, it } from 'vitest'
import { selectValidLanguages } from './languages.ts'

it('languages that are not valid are omitted', () => {
  expect(selectValidLanguages(['en-US@posix', 'de-AT', '', 'en'])).toEqual(['de-AT', 'en'])
  expect(selectValidLanguages(['en-US@posix'])).toEqual([])
})
