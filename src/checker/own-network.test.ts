import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { defaultHttpSettings } from '../monitors/http-schema.ts'
import { OwnNetwork } from './own-network.ts'
import { emptyResult, type ProbeResult, type Target } from './probes/probe.ts'
import type { ReachabilityTarget } from './reachability-targets.ts'
import type { PriorState } from './verdict.ts'

const log = pino({ level: 'silent' })
const success: ProbeResult = { ...emptyResult, responseMs: 5, httpStatus: 200, responded: true }
const timeoutResult: ProbeResult = {
  ...emptyResult,
  failure: { cause: 'timeout', detail: 'Response took longer than 10 s' },
  responseMs: 5,
}

const createTarget = (n: number, path = ''): Target => ({
  type: 'http',
  teamId: 1,
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

/** Records one response from each of `count` unrelated hosts of a user. */
function recordResponses(count: number, teamId = 1, firstHost = 1): void {
  for (let n = firstHost; n < firstHost + count; n++)
    network.recordResponse(createTarget(n), success, { teamId, monitorId: n })
}

/** Records a failed check, and returns whether our own network is considered the cause. */
const isFailureCausedByUs = (
  target: Target,
  result = timeoutResult,
  startedAt = performance.now(),
  { teamId = 1, status = 'up' as PriorState['status'] } = {},
) => network.recordFailure(target, result, startedAt, { teamId, monitorId: 1, priorState: { status } })

describe('an unreachable target', () => {
  it('is down if other targets still respond', async () => {
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

  it('is down if there are too few other targets to compare it with', async () => {
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

  it('is down if another target responded during its check', async () => {
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
      network.recordResponse(target, success, { teamId: 1, monitorId: n })
    }
    expect(await isFailureCausedByUs(createTarget(9))).toBe(false)
    expect(probedUrls).toEqual([])
  })
})

describe('a network that has just gone down', () => {
  it('is recognised even if another target responded earlier during the check', async () => {
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

describe('with several users', () => {
  const [attacker, bystander] = [1, 2]
  const isAttackersHost = (url: string) => /host-[1-9]?\d\./.test(url)
  /** Records failed checks of `count` hosts of a user. Returns whether our own network was considered the cause of one of them. */
  async function failHosts(teamId: number, count: number, status: PriorState['status'] = 'up'): Promise<boolean> {
    const startedAt = performance.now()
    const results: boolean[] = []
    for (let n = 1; n <= count; n++)
      results.push(await isFailureCausedByUs(createTarget(n), timeoutResult, startedAt, { teamId, status }))
    return results.includes(true)
  }

  it('a user whose hosts respond to checks but not to probes does not make the network count as down', async () => {
    start()
    isHostReachable = (url) => !isAttackersHost(url)
    recordResponses(1, bystander, 100)
    recordResponses(40, attacker)
    expect(await failHosts(attacker, 40)).toBe(false)
    expect(probedUrls).toContain('https://www.host-100.example/')
  })

  it('a user whose hosts fail does not make the network count as down, even if no target of the other users can be probed', async () => {
    start()
    isHostReachable = () => false
    const target = { ...createTarget(100), http: { ...defaultHttpSettings, method: 'POST' } } as Target
    network.recordResponse(target, success, { teamId: bystander, monitorId: 100 })
    // Wait until the response no longer proves that the network is up.
    const respondedAt = performance.now()
    await expect.poll(() => performance.now() - respondedAt > 1_100, { timeout: 5_000 }).toBe(true)
    expect(await failHosts(attacker, 20)).toBe(false)
    expect(await isFailureCausedByUs(target, timeoutResult, performance.now(), { teamId: bystander })).toBe(false)
  })

  it('failures of monitors that were down before, and of trial checks, are no evidence', async () => {
    start()
    isHostReachable = () => false
    expect(await failHosts(attacker, 20, 'down')).toBe(false)
    const startedAt = performance.now()
    for (let n = 1; n <= 20; n++)
      expect(await network.recordFailure(createTarget(n), timeoutResult, startedAt)).toBe(false)
  })

  it('a network that is down is recognised at the first failure, from the targets of all users', async () => {
    start()
    isHostReachable = () => false
    recordResponses(4, attacker)
    recordResponses(1, bystander, 100)
    recordResponses(1, 3, 101)
    expect(await isFailureCausedByUs(createTarget(1))).toBe(true)
    expect(network.offlineReason).toMatch(/network of the Belfry server seems to be down/)
  })

  it('at most one target of each user is probed if there are five or more users', async () => {
    start()
    isHostReachable = () => false
    for (let teamId = 1; teamId <= 6; teamId++) recordResponses(3, teamId, teamId * 100)
    expect(await isFailureCausedByUs(createTarget(1), timeoutResult, performance.now(), { teamId: 7 })).toBe(true)
    expect(probedUrls.map((url) => /host-(\d)/.exec(url)?.[1]).sort()).toEqual(['1', '2', '3', '4', '5', '6'])
  })

  it('a user with many responses does not displace the targets of other users', async () => {
    start()
    isHostReachable = (url) => url.includes('host-500.')
    recordResponses(1, bystander, 500)
    recordResponses(300, attacker)
    expect(await isFailureCausedByUs(createTarget(1))).toBe(false)
    expect(probedUrls).toContain('https://www.host-500.example/')
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
