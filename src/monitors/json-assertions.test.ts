import { describe, expect, it } from 'vitest'
import { Problem } from '../lib/problem.ts'
import type { HttpInput, JsonAssertion } from './http-schema.ts'
import type { UpdateMonitor } from './schema.ts'
import { changeSettings, checkAcceptedFields, createSettings } from './settings.ts'

const create = (http: HttpInput, others: Partial<UpdateMonitor> = {}) =>
  createSettings({ friendly_name: 'Shop', url: 'https://example.com/', ...others, http })

function findErrors(work: () => unknown): Problem['errors'] {
  try {
    work()
  } catch (error) {
    if (error instanceof Problem) return error.errors
    throw error
  }
  return undefined
}

describe('JSON assertions', () => {
  it('are saved with a trimmed path', () => {
    const assertion: JsonAssertion = { path: ' $.checks[?@.name == "db"].ok ', op: 'equals', value: true }
    expect(create({ json: [assertion] }).http?.json).toEqual([
      { path: '$.checks[?@.name == "db"].ok', op: 'equals', value: true },
    ])
  })

  it.each([
    ['status', 'must begin with $, as in $.status'],
    [
      '$.status ok',
      "must be a valid JSONPath: expected '.', '..' or a bracketed selection, found 'o' (at character 10)",
    ],
    ['$.a[01]', 'must be a valid JSONPath: leading zero in index selector (at character 5)'],
    ['$.a[?@.b = 1]', "must be a valid JSONPath: unexpected filter selector token '=' (at character 10)"],
    ['$.a[?size(@)]', "must be a valid JSONPath: no such function 'size' (at character 6)"],
    ['$.', 'must be a complete JSONPath: it ends too early'],
    ['$.a[', 'must be a complete JSONPath: it ends too early'],
  ])('must have a valid path: %s', (path, error) => {
    expect(
      findErrors(() =>
        create({
          json: [
            { path: '$', op: 'exists' },
            { path, op: 'exists' },
          ],
        }),
      ),
    ).toEqual({
      'http.json.1.path': [`\`http.json.1.path\` ${error}.`],
    })
  })

  it.each([
    [{ op: 'equals' }, 'is required for `equals`'],
    [{ op: 'gt', value: '5' }, 'must be a number for `gt`'],
    [{ op: 'lte', value: null }, 'must be a number for `lte`'],
    [{ op: 'exists', value: 'yes' }, 'must be true or false for `exists`'],
  ] satisfies [Omit<JsonAssertion, 'path'>, string][])(
    'must have a value that suits the operator: %o',
    (fields, error) => {
      expect(findErrors(() => create({ json: [{ path: '$.a', ...fields }] }))).toEqual({
        'http.json.0.value': [`\`http.json.0.value\` ${error}.`],
      })
    },
  )

  it('need a response with a body', () => {
    const settings = create({ json: [{ path: '$.a', op: 'exists' }] })
    const error = 'must not be HEAD if JSON is tested: a response to HEAD has no body'
    expect(findErrors(() => changeSettings(settings, { http: { method: 'HEAD' } }))).toEqual({
      'http.method': [`\`http.method\` ${error}.`],
    })
    expect(changeSettings(settings, { http: { method: 'HEAD', json: [] } }).http).toMatchObject({ json: [] })
  })
})

describe('max_response_ms', () => {
  const errors = (limit: number) => ({
    'http.max_response_ms': [`\`http.max_response_ms\` must not be greater than \`timeout\` (${limit} ms).`],
  })

  it('must not be greater than the timeout', () => {
    expect(create({ max_response_ms: 10_000 }).http?.max_response_ms).toBe(10_000)
    expect(findErrors(() => create({ max_response_ms: 10_001 }))).toEqual(errors(10_000))
    expect(findErrors(() => create({ max_response_ms: 10_000 }, { interval: 5 }))).toEqual(errors(5_000))
    const settings = create({ max_response_ms: 20_000 }, { timeout: 20 })
    expect(findErrors(() => changeSettings(settings, { timeout: 3 }))).toEqual(errors(3_000))
    expect(changeSettings(settings, { timeout: 3, http: { max_response_ms: null } }).http?.max_response_ms).toBeNull()
  })

  it('is not compared with a timeout that was rejected for another reason', () => {
    expect(findErrors(() => checkAcceptedFields({ http: { max_response_ms: 20_000 } }))).toBeUndefined()
  })
})
