import { expect, it } from 'vitest'
import { wordsAtField } from './field-words.ts'

it('leaves out the name that the field has already', () => {
  expect(wordsAtField(['The http.keyword must not be empty.'], 'http.keyword')).toEqual(['Must not be empty.'])
})

it('leaves other sentences as they are', () => {
  const sentences = ['The urls are odd.', 'Too many.']
  expect(wordsAtField(sentences, 'url')).toEqual(sentences)
  expect(wordsAtField(undefined, 'url')).toEqual([])
})
