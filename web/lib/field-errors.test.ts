import { expect, it } from 'vitest'
import { describeFieldErrors } from './field-errors.ts'

it('leaves out the name that the field has already', () => {
  expect(describeFieldErrors(['The http.keyword must not be empty.'], 'http.keyword')).toEqual(['Must not be empty.'])
})

it('leaves other sentences as they are', () => {
  const sentences = ['The urls are odd.', 'Too many.']
  expect(describeFieldErrors(sentences, 'url')).toEqual(sentences)
  expect(describeFieldErrors(undefined, 'url')).toEqual([])
})
