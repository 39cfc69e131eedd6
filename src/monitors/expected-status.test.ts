import { describe, expect, it } from 'vitest'
import { parseExpectedStatus } from './expected-status.ts'

describe('the expected status', () => {
  it.each([
    ['200', '200'],
    ['200-299', '200-299'],
    ['200-299,301', '200-299,301'],
    ['301,200-299,404', '301,200-299,404'],
    [' 200 - 299 , 301 ', '200-299,301'],
    ['100-599', '100-599'],
    ['204-204', '204-204'],
  ])('%j is stored as %s', (text, storedText) => {
    expect(parseExpectedStatus(text)).toEqual({ value: storedText })
  })

  it.each([
    '',
    ',',
    '200,',
    ',200',
    '200,,301',
    '99',
    '099',
    '600',
    '200-600',
    '99-200',
    '299-200',
    '200-',
    '-200',
    '200-250-299',
    '2xx',
    '2000',
    '200;301',
    '٢٠٠',
  ])('must not be %j', (text) => {
    expect(parseExpectedStatus(text)).toEqual({ errors: ['must be status codes from 100 to 599, such as 200-299,301'] })
  })
})
