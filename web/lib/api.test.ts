import { describe, expect, it } from 'vitest'
import { toApiProblem, ApiProblem, withQuery } from './api.ts'

describe('a question in an address', () => {
  it('leaves out what is not set', () => {
    expect(withQuery('api/x', { a: undefined, b: null, c: '', d: [] })).toBe('api/x')
    expect(withQuery('api/x', { page: 0, all: false })).toBe('api/x?page=0&all=false')
  })

  it('repeats the name of a list', () => {
    expect(withQuery('api/x', { filter: ['page:/a', 'country:DE'] })).toBe(
      'api/x?filter=page%3A%2Fa&filter=country%3ADE',
    )
  })

  it('survives whatever somebody typed', () => {
    const path = withQuery('api/x', { search: 'a&b=c #d+é' })
    expect(new URL(path, 'http://localhost').searchParams.get('search')).toBe('a&b=c #d+é')
  })
})

describe('whatever was thrown', () => {
  it('can be shown', () => {
    expect(toApiProblem(new TypeError('odd'))).toMatchObject({ message: 'odd', errors: {} })
    expect(toApiProblem('odd')).toMatchObject({ message: 'odd' })
  })

  it('stays what it is where the server said it', () => {
    const problem = new ApiProblem({ status: 422, code: 'validation_failed', message: 'No.', errors: { url: ['No.'] } })
    expect(toApiProblem(problem)).toBe(problem)
  })
})
