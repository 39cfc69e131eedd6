import { expect, it } from 'vitest'
import { describeFieldErrors } from './describe-field-errors.ts'

it("drops the field's own name from a message", () => {
  expect(describeFieldErrors(['`http.keyword` must not be empty.'], 'http.keyword')).toEqual(['Must not be empty.'])
  expect(describeFieldErrors(['The domain has already been taken.'], 'domain')).toEqual(['Has already been taken.'])
})

it('says only "Required" for a missing value', () => {
  expect(describeFieldErrors(['`scopes` is required.'], 'scopes')).toEqual(['Required'])
})

it('writes the names of other fields as words', () => {
  expect(describeFieldErrors(['`timeout` must not exceed `retry_interval`.'], 'timeout')).toEqual([
    'Must not exceed retry interval.',
  ])
})

it('leaves other messages unchanged', () => {
  const messages = ['`urls` must be a list.', 'The urls are odd.', 'Too many.']
  expect(describeFieldErrors(messages, 'url')).toEqual(messages)
  expect(describeFieldErrors(undefined, 'url')).toEqual([])
})
