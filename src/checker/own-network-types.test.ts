/** Tests what checks of types tcp, tls and dns show about our own network. */
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { defaultOptions } from '../monitors/option-schemas.ts'
import { OwnNetwork } from './own-network.ts'
import { emptyResult, type ProbeResult, type Target } from './probes/probe.ts'

const response: ProbeResult = { ...emptyResult, responded: true }
const refusal: ProbeResult = {
  ...emptyResult,
  failure: { cause: 'connect', detail: 'Connection refused' },
}

const createTarget = (n: number): Target => {
  const common = { url: `host-${n}.example:25`, timeoutMs: 10_000 }
  if (n % 2 === 0) return { ...common, type: 'tcp', tcp: { send: null, expect: '220' } }
  return { ...common, type: 'tls', tls: defaultOptions.tls }
}
const createDnsTarget = (resolver: string | null): Target => ({
  type: 'dns',
  url: 'example.com',
  timeoutMs: 10_000,
  dns: { ...defaultOptions.dns, resolver },
})

/** Returns a network that is offline: ports and TLS servers that responded before are all unreachable. */
async function startOffline(): Promise<OwnNetwork> {
  const log = pino({ level: 'silent' })
  const network = new OwnNetwork({
    reachabilityTargets: [],
    probe: async () => refusal,
    log,
    filterActiveTargets: async (targets) => targets,
  })
  onTestFinished(() => network.stop())
  for (let n = 1; n <= 6; n++) network.recordResponse(createTarget(n), response, { teamId: 1, monitorId: n })
  const monitor = { teamId: 1, monitorId: 1, priorState: { status: 'up' } } as const
  expect(await network.recordFailure(createTarget(1), refusal, performance.now(), monitor)).toBe(true)
  return network
}

it('unreachable ports and TLS servers show that we are offline, and a response shows that we are online again', async () => {
  const network = await startOffline()
  expect(network.offlineReason).toMatch(/No monitored target is reachable/)
  network.recordResponse(createTarget(2), response)
  expect(network.offlineReason).toBeUndefined()
})

it('only the response of a remote DNS server shows that we are online, because a local one also responds offline', async () => {
  const network = await startOffline()
  network.recordResponse(createDnsTarget(null), response, { teamId: 1, monitorId: 9 })
  expect(network.offlineReason).toBeDefined()
  network.recordResponse(createDnsTarget('9.9.9.9'), response, { teamId: 1, monitorId: 9 })
  expect(network.offlineReason).toBeUndefined()
})
