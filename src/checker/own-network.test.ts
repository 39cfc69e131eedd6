import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { defaultHttpSettings } from '../monitors/http-schema.ts'
import { isUnreachable, OwnNetwork } from './own-network.ts'
import { noTimings, type ProbeResult, type Target } from './probes/probe.ts'
import type { ReachabilityTarget } from './reachability-targets.ts'

const log = pino({ level: 'silent' })
const success: ProbeResult = {
  failure: null,
  note: null,
  responseMs: 5,
  timings: noTimings,
  httpStatus: 200,
  tlsExpiresAt: null,
  packetLoss: null,
  address: null,
  responded: true,
}
const timeoutResult: ProbeResult = {
  ...success,
  failure: { cause: 'timeout', detail: 'Response took longer than 10 s' },
  responded: false,
  httpStatus: null,
}

const createTarget = (n: number, path = ''): Target => ({
  type: 'http',
  url: `https://www.host-${n}.example/${path}`,
  timeoutMs: 10_000,
  http: defaultHttpSettings,
})

let network: OwnNetwork
let isHostReachable: (url: string) => boolean
let probedUrls: string[]
let isMonitorActive: (n: number) => boolean

function start(reachabilityTargets: ReachabilityTarget[] = []): void {
  isMonitorActive = () => true
  probedUrls = []
  const probe = async ({ url }: Target) => {
    probedUrls.push(url)
    return isHostReachable(url) ? success : timeoutResult
  }
  network = new OwnNetwork({
    reachabilityTargets,
    probe,
    log,
    filterActiveTargets: async (targets) => targets.filter(({ monitor }) => isMonitorActive(monitor.monitorId)),
  })
}

afterEach(() => network.stop())

/** Records one response from each of `count` unrelated hosts. */
function recordResponses(count: number): void {
  for (let n = 1; n <= count; n++) network.recordResponse(createTarget(n), success, { userId: 1, monitorId: n })
}

/** Records a failed check, and returns whether our own network is considered the cause. */
const isFailureCausedByUs = (target: Target, result = timeoutResult, startedAt = performance.now()) =>
  network.recordFailure(target, result, startedAt)

describe('an unreachable target', () => {
  it('is down if others still respond', async () => {
    start()
    isHostReachable = (url) => !url.includes('host-1.')
    recordResponses(6)
    expect(await isFailureCausedByUs(createTarget(1))).toBe(false)
    expect(probedUrls.length).toBeLessThanOrEqual(2)
    expect(network.offlineReason).toBeUndefined()
  })

  it('is not down if five unrelated targets have stopped responding too', async () => {
    start()
    isHostReachable = () => false
    recordResponses(6)
    expect(await isFailureCausedByUs(createTarget(1))).toBe(true)
    expect(network.offlineReason).toMatch(/network of the Belfry server seems to be down/)
  })

  it('is down if there are too few others to compare with', async () => {
    start()
    isHostReachable = () => false
    recordResponses(4)
    expect(await isFailureCausedByUs(createTarget(1))).toBe(false)
    expect(probedUrls).toEqual([])
  })

  it('is down if all other failures are on the same server', async () => {
    start()
    isHostReachable = () => false
    const startedAt = performance.now()
    for (let n = 1; n <= 8; n++) {
      const result = { ...timeoutResult, address: '203.0.113.7' }
      expect(await isFailureCausedByUs(createTarget(n), result, startedAt)).toBe(false)
    }
  })

  it('is not down if five unrelated checks failed, none succeeded and there are no fallback targets', async () => {
    start()
    isHostReachable = () => true
    const startedAt = performance.now()
    const causedByUs = []
    for (let n = 1; n <= 6; n++) causedByUs.push(await isFailureCausedByUs(createTarget(n), timeoutResult, startedAt))
    expect(causedByUs).toEqual([false, false, false, false, true, true])
  })

  it('is down if anything responded during its check', async () => {
    start()
    isHostReachable = () => false
    const startedAt = performance.now()
    network.recordResponse(createTarget(99), success)
    for (let n = 1; n <= 6; n++)
      expect(await isFailureCausedByUs(createTarget(n), timeoutResult, startedAt)).toBe(false)
  })

  it('does not cause probes of paused or deleted monitors', async () => {
    start()
    isHostReachable = () => true
    recordResponses(6)
    isMonitorActive = () => false
    expect(await isFailureCausedByUs(createTarget(9))).toBe(false)
    expect(probedUrls).toEqual([])
  })

  it('does not cause requests that might change something on other servers', async () => {
    start()
    isHostReachable = () => false
    for (let n = 1; n <= 6; n++) {
      const target = { ...createTarget(n), http: { ...defaultHttpSettings, method: 'POST' } } as Target
      network.recordResponse(target, success, { userId: 1, monitorId: n })
    }
    expect(await isFailureCausedByUs(createTarget(9))).toBe(false)
    expect(probedUrls).toEqual([])
  })
})

describe('a network that has just gone down', () => {
  it('is recognised even if something responded earlier during the check', async () => {
    start()
    isHostReachable = () => false
    const startedAt = performance.now() - 8_000
    recordResponses(6)
    const respondedAt = performance.now()
    // Wait until the responses no longer prove that the network is up.
    await expect.poll(() => performance.now() - respondedAt > 1_100, { timeout: 5_000 }).toBe(true)
    expect(await isFailureCausedByUs(createTarget(1), timeoutResult, startedAt)).toBe(true)
  })
})

describe('many dead targets', () => {
  it('do not make the network count as down while one other target responds', async () => {
    start()
    isHostReachable = (url) => url.includes('host-1.')
    recordResponses(3)
    const startedAt = performance.now()
    const causedByUs = []
    for (let n = 20; n <= 60; n++) causedByUs.push(await isFailureCausedByUs(createTarget(n), timeoutResult, startedAt))
    expect(causedByUs).not.toContain(true)
  })
})

describe('while the network is down', () => {
  it('checks that start do not count, even if they end after the network is back', async () => {
    start()
    isHostReachable = () => false
    recordResponses(6)
    const startedAt = performance.now()
    await isFailureCausedByUs(createTarget(1))
    network.recordResponse(createTarget(2), success)
    expect(network.offlineReason).toBeUndefined()
    expect(await isFailureCausedByUs(createTarget(3), timeoutResult, startedAt)).toBe(true)
    isHostReachable = () => true
    expect(await isFailureCausedByUs(createTarget(3))).toBe(false)
  })

  it('no failure counts until some targets respond again', async () => {
    start()
    isHostReachable = () => false
    recordResponses(6)
    await isFailureCausedByUs(createTarget(1))
    expect(await isFailureCausedByUs(createTarget(77))).toBe(true)
    isHostReachable = () => true
    await expect.poll(() => network.offlineReason, { timeout: 10_000 }).toBeUndefined()
    isHostReachable = (url) => !url.includes('host-1.')
    expect(await isFailureCausedByUs(createTarget(1))).toBe(false)
  })
})

describe('configured reachability targets', () => {
  async function openPort(): Promise<{ target: ReachabilityTarget; close: () => Promise<void> }> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    return {
      target: { host: '127.0.0.1', port },
      close: async () => {
        server.close()
        await once(server, 'close')
      },
    }
  }

  it('prove that the network is up if one is reachable, however many checks fail', async () => {
    const { target, close } = await openPort()
    start([{ host: '127.0.0.1', port: 1 }, target])
    const startedAt = performance.now()
    for (let n = 1; n <= 8; n++)
      expect(await isFailureCausedByUs(createTarget(n), timeoutResult, startedAt)).toBe(false)
    await close()
  })

  it('show that the network is down at the first failed check if none is reachable', async () => {
    const { target, close } = await openPort()
    await close()
    start([target])
    expect(await isFailureCausedByUs(createTarget(1))).toBe(true)
    expect(network.offlineReason).toMatch(/BELFRY_CANARIES/)
  })
})

describe('a failure', () => {
  it.each([
    ['dns', true],
    ['connect', true],
    ['timeout', true],
    ['ping', true],
    ['tls', false],
    ['http_status', false],
    ['keyword', false],
    ['redirect', false],
    ['blocked', false],
  ] as const)('with the cause %s counts as unreachable: %s', (cause, expected) => {
    expect(isUnreachable({ ...timeoutResult, failure: { cause, detail: '' } })).toBe(expected)
  })

  it('does not count as unreachable if the response had already begun', () => {
    expect(isUnreachable({ ...timeoutResult, responded: true })).toBe(false)
  })
})
