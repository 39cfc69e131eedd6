/**
 * Measures how bodies with very many fields, list entries or levels affect other requests, compared with bodies of the same
 * size that hold one long text.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { password, signInToBench } from './support/account.ts'
import { findFreePort, readMemoryMb, type StartedProcess, serveArguments, startProcess } from './support/processes.ts'
import { reportPerformancePromise } from './support/report.ts'

const BODY_BYTES = 1_048_576
/**
 * The list is smaller than the other bodies: without a limit on the response, 600 KB are enough for a response of 55
 * MB.
 */
const LIST_BYTES = 600_000
const SENDERS = 3
const SECONDS = 5
const HEALTH_INTERVAL_MS = 10
const EMAIL = 'bench@example.com'

interface Bomb {
  name: string
  path: string
  contentType: string
  body: string
}

interface BombResult {
  status: number
  responseBytes: number
  sentCount: number
  healthP50Ms: number
  healthP99Ms: number
  healthMaxMs: number
  memoryMb: number
}

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'

/** Returns an object with as many unknown fields as fit into the body. Their names are short. */
function formatFields(): string {
  const fields: string[] = []
  for (let bytes = 2; bytes < BODY_BYTES - 12; bytes += (fields.at(-1) as string).length + 1)
    fields.push(`"${fields.length.toString(36)}":0`)
  return `{${fields.join()}}`
}

const formatText = () => JSON.stringify({ email: 'x'.repeat(BODY_BYTES - 12) })

const bombs: readonly Bomb[] = [
  { name: 'fields', path: '/api/session', contentType: json, body: formatFields() },
  { name: 'list', path: '/api/keys', contentType: json, body: `{"scopes":[${'0,'.repeat(LIST_BYTES / 2)}0]}` },
  { name: 'levels', path: '/api/session', contentType: json, body: '['.repeat(BODY_BYTES / 2) },
  { name: 'form', path: '/api/session', contentType: form, body: '&a'.repeat(BODY_BYTES / 2) },
]
const baseline: Bomb = { name: 'one long text', path: '/api/session', contentType: json, body: formatText() }

/** Sends the body from three senders at the same time, and in the meantime measures how long /healthz takes. */
async function measure(server: StartedProcess, cookie: string, { path, contentType, body }: Bomb): Promise<BombResult> {
  const baseUrl = `http://127.0.0.1:${server.port}`
  const endsAt = performance.now() + SECONDS * 1000
  const result = { status: 0, responseBytes: 0, sentCount: 0, memoryMb: 0 }
  const healthTimesMs: number[] = []

  async function sendBodies(): Promise<void> {
    while (performance.now() < endsAt) {
      const headers = { cookie, 'content-type': contentType }
      const response = await fetch(baseUrl + path, { method: 'POST', headers, body })
      result.responseBytes = (await response.arrayBuffer()).byteLength
      result.status = response.status
      result.sentCount++
    }
  }

  async function pollHealth(): Promise<void> {
    while (performance.now() < endsAt) {
      const sentAt = performance.now()
      await (await fetch(`${baseUrl}/healthz`)).text()
      healthTimesMs.push(performance.now() - sentAt)
      result.memoryMb = Math.max(result.memoryMb, await readMemoryMb(server.pid))
      await new Promise((resolve) => setTimeout(resolve, HEALTH_INTERVAL_MS))
    }
  }

  await Promise.all([...Array.from({ length: SENDERS }, sendBodies), pollHealth()])
  healthTimesMs.sort((a, b) => a - b)
  const findPercentile = (share: number) => healthTimesMs[Math.ceil((healthTimesMs.length - 1) * share)] ?? 0
  return {
    ...result,
    healthP50Ms: findPercentile(0.5),
    healthP99Ms: findPercentile(0.99),
    healthMaxMs: findPercentile(1),
  }
}

function formatResult(name: string, result: BombResult): string {
  const { status, responseBytes, sentCount, healthP50Ms, healthP99Ms, healthMaxMs, memoryMb } = result
  const health = [healthP50Ms, healthP99Ms, healthMaxMs].map((ms) => ms.toFixed(1)).join(' / ')
  return `  ${name}: ${sentCount} sent, status ${status}, ${responseBytes} bytes each; /healthz p50 / p99 / max ${health} ms; ${memoryMb.toFixed(0)} MB at most`
}

export async function bench(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'belfry-bench-'))
  const server = await startProcess(serveArguments, await findFreePort(), {
    BELFRY_DATA: join(folder, 'data'),
    BELFRY_ADMIN_EMAIL: EMAIL,
    BELFRY_ADMIN_PASSWORD: password,
    // Without the rate limit, the benchmark measures what each request costs.
    BELFRY_RATE_LIMIT: '0',
  })
  try {
    const cookie = await signInToBench(`http://127.0.0.1:${server.port}`, EMAIL)
    console.log(
      `${SENDERS} senders for ${SECONDS} s each; bodies of up to ${BODY_BYTES} bytes; that with a long list has about ${LIST_BYTES}`,
    )
    // The first run is not counted, because V8 optimizes the code during it.
    await measure(server, cookie, baseline)
    const baselineResult = await measure(server, cookie, baseline)
    console.log(formatResult(baseline.name, baselineResult))
    const results: BombResult[] = []
    for (const bomb of bombs) {
      const result = await measure(server, cookie, bomb)
      results.push(result)
      console.log(formatResult(bomb.name, result))
    }
    const largestResponse = Math.max(...results.map(({ responseBytes }) => responseBytes))
    const slowestRatio = Math.max(...results.map(({ healthP99Ms }) => healthP99Ms)) / baselineResult.healthP99Ms
    const mostMemoryMb = Math.max(...results.map(({ memoryMb }) => memoryMb))
    const memoryRatio = mostMemoryMb / baselineResult.memoryMb
    return [
      reportPerformancePromise('no response over 10 KB', `${largestResponse} bytes`, largestResponse <= 10_000),
      reportPerformancePromise(
        'p99 of /healthz at most 2× that with one long text',
        `${slowestRatio.toFixed(1)}×`,
        slowestRatio <= 2,
      ),
      reportPerformancePromise(
        'memory at most 1.5× that with one long text',
        `${memoryRatio.toFixed(1)}×`,
        memoryRatio <= 1.5,
      ),
    ].every(Boolean)
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
