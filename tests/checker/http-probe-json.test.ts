import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { JsonTester } from '../../src/checker/probes/http/json/tester.ts'
import { JsonWorkerClient } from '../../src/checker/probes/http/json/worker-client.ts'
import { openHttpProbe } from '../../src/checker/probes/http/probe.ts'
import type { ProbeResult } from '../../src/checker/probes/probe.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { defaultHttpSettings, type HttpSettings, type JsonAssertion } from '../../src/monitors/http-schema.ts'
import { serveHttp } from '../support/loopback-servers.ts'
import { createPermissiveGuard } from './probe-support.ts'

/** All tests share the probe, because its worker thread takes time to start. */
const probe = openHttpProbe({ guard: createPermissiveGuard(), clock: systemClock, maxJsonCpuMs: 150 })
afterAll(() => probe.close())

async function check(body: string, settings: Partial<HttpSettings>, teamId = 1): Promise<ProbeResult> {
  const { port } = await serveHttp((_, response) => response.end(body))
  const http = { ...defaultHttpSettings, ...settings }
  const result = await probe.check({ type: 'http', url: `http://127.0.0.1:${port}/`, teamId, timeoutMs: 10_000, http })
  if (!('responded' in result)) throw new Error(JSON.stringify(result))
  return result
}

const checkJson = async (document: unknown, ...json: JsonAssertion[]) =>
  (await check(typeof document === 'string' ? document : JSON.stringify(document), { json })).failure

const health = {
  status: 'degraded',
  queue: 120,
  services: [
    { name: 'db', ok: true },
    { name: 'mail', ok: false },
  ],
}

describe('JSON assertions', () => {
  it('hold for the values at a path', async () => {
    const trueAssertions: JsonAssertion[] = [
      { path: '$.status', op: 'equals', value: 'degraded' },
      { path: '$.status', op: 'not_equals', value: 'down' },
      { path: '$.status', op: 'contains', value: 'grade' },
      { path: '$.queue', op: 'gt', value: 119.5 },
      { path: '$.queue', op: 'lte', value: 120 },
      { path: '$.services', op: 'exists' },
      { path: '$.error', op: 'exists', value: false },
      { path: '$.services[?@.name == "mail"].ok', op: 'equals', value: false },
      { path: '$..ok', op: 'equals', value: true },
      { path: '$.services[*].name', op: 'not_equals', value: 'cache' },
    ]
    expect(await checkJson(health, ...trueAssertions)).toBeNull()
  })

  it.each([
    [{ path: '$.status', op: 'equals', value: 'ok' }, '$.status is "degraded", expected "ok"'],
    [{ path: '$.status', op: 'not_equals', value: 'degraded' }, '$.status is "degraded", expected another value'],
    [{ path: '$.queue', op: 'lt', value: 100 }, '$.queue is 120, expected less than 100'],
    [{ path: '$.queue', op: 'gte', value: 500 }, '$.queue is 120, expected at least 500'],
    [{ path: '$.status', op: 'gt', value: 1 }, '$.status is "degraded", expected more than 1'],
    [{ path: '$.missing', op: 'equals', value: null }, '$.missing selects nothing, expected null'],
    [{ path: '$.missing', op: 'exists' }, '$.missing selects nothing, expected a value'],
    [{ path: '$.services', op: 'exists', value: false }, '$.services exists: it is a list with 2 values'],
    [{ path: '$.services[0]', op: 'contains', value: 'db' }, '$.services[0] is an object, expected it to contain "db"'],
    [
      { path: '$.services[*].name', op: 'equals', value: 'cache' },
      '$.services[*].name is "db" (the first of 2 values), expected "cache"',
    ],
  ] satisfies [JsonAssertion, string][])('fail with a sentence: %o', async (assertion, detail) => {
    expect(await checkJson(health, { path: '$.queue', op: 'exists' }, assertion)).toEqual({ cause: 'json', detail })
  })

  it('need JSON of at most 1 MiB', async () => {
    const assertion = { path: '$.status', op: 'exists' } as const
    expect((await checkJson('<!doctype html>\n<p>Maintenance', assertion))?.detail).toBe(
      'Response is not valid JSON: it begins with "<!doctype html> <p>Maintenance"',
    )
    expect((await checkJson('', assertion))?.detail).toBe('Response is empty, expected JSON')
    const padding = 'x'.repeat(1024 * 1024)
    expect((await checkJson({ status: 'ok', padding }, assertion))?.detail).toBe(
      "JSON of more than 1 MiB can't be tested",
    )
    expect(await checkJson({ status: 'ok', padding: padding.slice(100) }, assertion)).toBeNull()
  })

  it('shorten long values in their message', async () => {
    const failure = await checkJson(
      { text: `a\u202e${'b'.repeat(5_000)}` },
      { path: '$.text', op: 'equals', value: 'c' },
    )
    expect(failure?.detail).toMatch(/^\$\.text is "a\ufffdb{58}…", expected "c"$/)
  })

  it('are tested after the keyword', async () => {
    const json: JsonAssertion[] = [{ path: '$.status', op: 'equals', value: 'ok' }]
    expect((await check(JSON.stringify(health), { keyword: 'healthy', json })).failure?.cause).toBe('keyword')
  })
})

/** Returns how much CPU time this thread needs for `work`. While the thread computes, the event loop is blocked. */
async function measureThreadCpuMs(work: () => Promise<unknown>): Promise<number> {
  const cpuAtStart = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(cpuAtStart)
  return (user + system) / 1000
}

describe('hostile JSON and paths', () => {
  const createNestedList = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  const wideList = `[${'[1,[2]],'.repeat(50_000)}1]`

  it.each([
    ['nested descendant segments', wideList, '$..*..*..*..*'],
    ['nested descendant segments in a filter', createNestedList(400), '$[?count(@..*..*..*..*) > 1]'],
    ['a regular expression that backtracks', JSON.stringify(['a'.repeat(60)]), '$[?match(@, "(a|a)*b")]'],
  ])('are stopped at a limit of CPU time or memory: %s', async (_, body, path) => {
    // The first check also loads and compiles code, which takes longest on a busy machine.
    await checkJson(body, { path: '$.none', op: 'equals', value: 'never' })
    const cpuMs = await measureThreadCpuMs(async () => {
      const failure = await checkJson(body, { path, op: 'equals', value: 'never' })
      expect(failure).toMatchObject({ cause: 'json', detail: expect.stringMatching(/^JSON assertions need /) })
    })
    // The test itself, its server and reading the body need some CPU time.
    expect(cpuMs).toBeLessThan(100)
  })

  it.each([
    ['a document with too many levels', createNestedList(100_000), '$..*', 'the JSON has more than 500 levels'],
    ['a comparison of deep values', createNestedList(100_000), '$[?@ == $]', 'the JSON has too many values or levels'],
  ])('fail quickly: %s', async (_, body, path, reason) => {
    const failure = await checkJson(body, { path, op: 'equals', value: 'never' })
    expect(failure?.detail).toBe(`${path} can't be tested: ${reason}`)
  })

  it('of one user leave memory for the bodies of other users', () => {
    const tester = new JsonTester()
    onTestFinished(() => tester.close())
    const http = { ...defaultHttpSettings, json: [{ path: '$.a', op: 'exists' } as const] }
    const start = (teamId: number) =>
      tester.start({ type: 'http', url: 'http://127.0.0.1/', teamId, timeoutMs: 1_000, http }, undefined)
    const tests = Array.from({ length: 100 }, () => start(1))
    const mebibyte = Buffer.alloc(1024 * 1024, ' ')
    for (const test of tests) test.add(mebibyte)
    expect(tests.at(-1)?.finish()).toEqual({ inconclusive: 'The Belfry server was too busy to read the JSON' })
    const otherUsersBody = start(2)
    for (const byte of Buffer.from(`{"a": "${'é'.repeat(5_000)}"}`)) otherUsersBody.add(Buffer.of(byte))
    expect(otherUsersBody.finish()).toEqual({ problem: null })
    for (const test of tests) test.release()
    const laterBody = start(1)
    laterBody.add(Buffer.from('{}'))
    expect(laterBody.finish()).toEqual({ problem: '$.a selects nothing, expected a value' })
  })

  it('do not delay the checks of another user by more than two jobs', async () => {
    const client = new JsonWorkerClient(10_000)
    onTestFinished(() => client.close())
    const body = Buffer.from('[1]')
    const runJob = (teamId: number, path: string) =>
      client.run(teamId, { body, contentType: undefined, assertions: [{ path, op: 'equals', value: 1 }] })
    const teamIds: number[] = []
    const jobs = [1, 1, 1, 1, 2].map((teamId) => runJob(teamId, '$..*').then(() => teamIds.push(teamId)))
    await Promise.all(jobs)
    expect(teamIds).toEqual([1, 1, 2, 1, 1])
  })
})

describe('max_response_ms', () => {
  it('makes a slow response a failure, and keeps its response time', async () => {
    const { port } = await serveHttp((_, response) => setTimeout(() => response.end('hello'), 30))
    const target = { type: 'http', url: `http://127.0.0.1:${port}/`, teamId: 1, timeoutMs: 5_000 } as const
    const slowResult = await probe.check({ ...target, http: { ...defaultHttpSettings, max_response_ms: 20 } })
    expect(slowResult).toMatchObject({
      failure: { cause: 'slow', detail: expect.stringMatching(/^Response took \d+ ms, expected at most 20 ms$/) },
      responseMs: expect.any(Number),
      responded: true,
    })
    const otherFailure = await probe.check({
      ...target,
      http: { ...defaultHttpSettings, max_response_ms: 20, keyword: 'absent' },
    })
    expect(otherFailure).toMatchObject({ failure: { cause: 'keyword' } })
    const fastResult = await probe.check({ ...target, http: { ...defaultHttpSettings, max_response_ms: 5_000 } })
    expect(fastResult).toMatchObject({ failure: null })
  })
})
