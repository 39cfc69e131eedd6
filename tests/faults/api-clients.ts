/** Clients that read and write through the API of every node all the time, and record every response. */
import { setTimeout as delay } from 'node:timers/promises'

export interface ApiAttempt {
  /** The URL of the node. */
  node: string
  kind: string
  status: number
  detail: string
  /** Times of `performance.now()`. */
  startedAt: number
  endedAt: number
}

export interface ApiClients {
  attempts: ApiAttempt[]
  /** The last attempt of each kind at each node. */
  lastAttempts: Map<string, ApiAttempt>
  /** The names of the monitors whose creation the API has acknowledged. */
  createdNames: Set<string>
  /** The names of all monitors that clients tried to create. */
  triedNames: Set<string>
  /** Resolves when the running requests have ended. */
  stop(): Promise<void>
}

export interface ApiClientOptions {
  /** The URLs of all nodes. */
  nodeUrls: readonly string[]
  /** The URLs of the nodes that serve the API. */
  webUrls: readonly string[]
  cookie: string
  websiteId: number
  /** Each client sends its next request this long after a response. */
  requestIntervalMs: number
}

interface ApiRequest {
  method: string
  path: string
  json?: object
  idempotencyKey?: string
}

/** This is longer than any response may take, so that a slow response is recorded with its time. */
const RESPONSE_TIMEOUT_MS = 30_000
/** The `status` of an attempt that got no response. */
const NO_RESPONSE = 0

export const isServed = ({ status }: ApiAttempt) => status >= 200 && status < 300

export function startApiClients(options: ApiClientOptions): ApiClients {
  const { nodeUrls, webUrls, cookie, websiteId, requestIntervalMs } = options
  const attempts: ApiAttempt[] = []
  const lastAttempts = new Map<string, ApiAttempt>()
  const createdNames = new Set<string>()
  const triedNames = new Set<string>()
  let isStopped = false

  async function attempt(node: string, kind: string, request: ApiRequest): Promise<ApiAttempt> {
    const { method, path, json, idempotencyKey } = request
    const startedAt = performance.now()
    const respond = async () => {
      const response = await fetch(node + path, {
        method,
        headers: {
          cookie: `belfry_session=${cookie}`,
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
        signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
      })
      const body = (await response.json()) as { detail?: string }
      return { status: response.status, detail: body.detail ?? '' }
    }
    const result = await respond().catch((error) => ({ status: NO_RESPONSE, detail: String(error.cause ?? error) }))
    const finishedAttempt = { node, kind, ...result, startedAt, endedAt: performance.now() }
    attempts.push(finishedAttempt)
    lastAttempts.set(`${kind} of ${node}`, finishedAttempt)
    return finishedAttempt
  }

  async function repeat(send: () => Promise<unknown>): Promise<void> {
    while (!isStopped) {
      await send()
      await delay(requestIntervalMs)
    }
  }

  /** Repeats a refused request with the same Idempotency-Key, so that there is exactly one monitor of each name. */
  async function createMonitors(node: string): Promise<void> {
    let name = chooseName()
    await repeat(async () => {
      const json = { friendly_name: name, url: 'http://127.0.0.1:9/', is_active: false }
      const request = { method: 'POST', path: '/api/monitors', json, idempotencyKey: name }
      if (!isServed(await attempt(node, 'create', request))) return
      createdNames.add(name)
      name = chooseName()
    })
  }

  function chooseName(): string {
    const name = `created${triedNames.size}`
    triedNames.add(name)
    return name
  }

  const get = (path: string): ApiRequest => ({ method: 'GET', path })
  const requests: Record<string, ApiRequest> = {
    websites: get('/api/v1/websites'),
    monitors: get('/api/monitors?pageSize=10'),
    update: { method: 'PATCH', path: `/api/v1/websites/${websiteId}`, json: { favorite: true } },
  }
  const loops = [
    ...nodeUrls.map((node) => repeat(() => attempt(node, 'readiness', get('/readyz')))),
    ...webUrls.flatMap((node) =>
      Object.entries(requests).map(([kind, request]) => repeat(() => attempt(node, kind, request))),
    ),
    ...webUrls.map(createMonitors),
  ]
  return {
    attempts,
    lastAttempts,
    createdNames,
    triedNames,
    async stop() {
      isStopped = true
      await Promise.all(loops)
    },
  }
}
