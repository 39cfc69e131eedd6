import { expect, it } from 'vitest'
import { describeFieldErrors } from './describe-field-errors.ts'

it("the error of a field does not repeat the field's own name", () => {
  expect(describeFieldErrors(['`http.keyword` must not be empty.'], 'http.keyword')).toEqual(['Must not be empty.'])
  expect(describeFieldErrors(['The domain has already been taken.'], 'domain')).toEqual(['Has already been taken.'])
})

it('the error of a missing value is only "Required"', () => {
  expect(describeFieldErrors(['`scopes` is required.'], 'scopes')).toEqual(['Required'])
})

it('the error of an incorrect password or code says which of them it is', () => {
  expect(describeFieldErrors(['`current_password` is incorrect.'], 'current_password')).toEqual(['Incorrect password'])
})

it('the error of a field names other fields in words', () => {
  expect(describeFieldErrors(['`timeout` must not exceed `retry_interval`.'], 'timeout')).toEqual([
    'Must not exceed retry interval.',
  ])
})

it('messages that do not name the field stay unchanged', () => {
  const messages = ['`urls` must be a list.', 'The urls are odd.', 'Too many.']
  expect(describeFieldErrors(messages, 'url')).toEqual(messages)
  expect(describeFieldErrors(undefined, 'url')).toEqual([])
})
