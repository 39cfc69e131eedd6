import { describe, expect, it } from 'vitest'
import { MAX_MONITORS_PER_REQUEST } from '../../src/shared/limits.ts'
import { ApiProblem, splitIntoBatches, toApiProblem, withoutFieldErrors, withQuery } from './api.ts'

describe('a query string', () => {
  it('omits empty values', () => {
    expect(withQuery('api/x', { a: undefined, b: null, c: '', d: [] })).toBe('api/x')
    expect(withQuery('api/x', { page: 0, all: false })).toBe('api/x?page=0&all=false')
  })

  it('repeats the parameter of an array', () => {
    expect(withQuery('api/x', { filter: ['page:/a', 'country:DE'] })).toBe(
      'api/x?filter=page%3A%2Fa&filter=country%3ADE',
    )
  })

  it('encodes special characters', () => {
    const path = withQuery('api/x', { search: 'a&b=c #d+é' })
    expect(new URL(path, 'http://localhost').searchParams.get('search')).toBe('a&b=c #d+é')
  })
})

describe('a thrown value', () => {
  it('becomes a problem with a message', () => {
    expect(toApiProblem(new TypeError('odd'))).toMatchObject({ message: 'odd', errors: {} })
    expect(toApiProblem('odd')).toMatchObject({ message: 'odd' })
  })

  it('stays unchanged if it is already a problem', () => {
    const problem = new ApiProblem({ status: 422, code: 'validation_failed', message: 'No.', errors: { url: ['No.'] } })
    expect(toApiProblem(problem)).toBe(problem)
  })
})

it('splitIntoBatches splits a list into batches that the server accepts', () => {
  const ids = Array.from({ length: 2 * MAX_MONITORS_PER_REQUEST + 1 }, (_, id) => id)
  expect(splitIntoBatches(ids).map((batch) => batch.length)).toEqual([
    MAX_MONITORS_PER_REQUEST,
    MAX_MONITORS_PER_REQUEST,
    1,
  ])
  expect(splitIntoBatches([])).toEqual([])
})

describe('the errors of a form', () => {
  const problem = new ApiProblem({
    status: 422,
    code: 'validation_failed',
    message: 'Invalid.',
    errors: {
      timeout: ['`timeout` must not be greater than `interval` (5).'],
      'http.keyword': ['`http.keyword` must not be empty.'],
    },
  })
  const listErrors = (field: string) => Object.keys(withoutFieldErrors(problem, field)?.errors ?? {})

  it('disappear when their field changes, and errors of other fields stay', () => {
    expect(listErrors('timeout')).toEqual(['http.keyword'])
    expect(listErrors('keyword')).toEqual(['timeout'])
    expect(listErrors('url')).toEqual(['timeout', 'http.keyword'])
  })

  it('disappear when another field that they mention changes', () =>
    expect(listErrors('interval')).toEqual(['http.keyword']))

  it('remove the problem when the last error disappears, but a problem without field errors stays', () => {
    expect(withoutFieldErrors(withoutFieldErrors(problem, 'keyword'), 'timeout')).toBeUndefined()
    const unreachableProblem = toApiProblem(new Error('Unreachable'))
    expect(withoutFieldErrors(unreachableProblem, 'timeout')).toBe(unreachableProblem)
  })
})
