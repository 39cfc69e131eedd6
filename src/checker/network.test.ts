import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { plainHttp } from '../monitors/http-schema.ts'
import type { Canary } from './canaries.ts'
import { isUnreached, Network } from './network.ts'
import { type Finding, noTimings, type Target } from './probes/probe.ts'

const log = pino({ level: 'silent' })
const fine: Finding = {
  failure: null,
  responseMs: 5,
  timings: noTimings,
  httpStatus: 200,
  tlsExpiresAt: null,
  packetLoss: null,
  address: null,
  answered: true,
}
const dead: Finding = {
  ...fine,
  failure: { cause: 'timeout', detail: 'no answer within 10 s' },
  answered: false,
  httpStatus: null,
}

const host = (n: number, path = ''): Target => ({
  type: 'http',
  url: `https://www.host-${n}.example/${path}`,
  timeoutMs: 10_000,
  http: plainHttp,
})

let network: Network
/** Which hosts can be reached; every question is kept. */
let reachable: (url: string) => boolean
let asked: string[]
/** Whether the monitor of a host is still there. */
let isActive: (n: number) => boolean

function start(canaries: Canary[] = []): void {
  isActive = () => true
  asked = []
  const probe = async ({ url }: Target) => {
    asked.push(url)
    return reachable(url) ? fine : dead
  }
  network = new Network({
    canaries,
    probe,
    log,
    keepActive: async (all) => all.filter(({ monitor }) => isActive(monitor.monitorId)),
  })
}

afterEach(() => network.stop())

/** As many hosts have answered before. */
function learn(hosts: number): void {
  for (let n = 1; n <= hosts; n++) network.noteAnswer(host(n), fine, { userId: 1, monitorId: n })
}

const fails = (target: Target, finding = dead, begun = performance.now()) => network.isOurFault(target, finding, begun)

describe('a target that is not reached', () => {
  it('is to blame where others still answer', async () => {
    start()
    reachable = (url) => !url.includes('host-1.')
    learn(6)
    expect(await fails(host(1))).toBe(false)
    expect(asked.length).toBeLessThanOrEqual(2)
    expect(network.complaint).toBeUndefined()
  })

  it('is not to blame where none of five unrelated ones answers any more', async () => {
    start()
    reachable = () => false
    learn(6)
    expect(await fails(host(1))).toBe(true)
    expect(network.complaint).toMatch(/network seems to be down/)
  })

  it('is to blame where there are too few others to know', async () => {
    start()
    reachable = () => false
    learn(4)
    expect(await fails(host(1))).toBe(false)
    expect(asked).toEqual([])
  })

  it('is one of five on the same dead server: five real outages', async () => {
    start()
    reachable = () => false
    const began = performance.now()
    for (let n = 1; n <= 8; n++) {
      const finding = { ...dead, address: '203.0.113.7' }
      expect(await fails(host(n), finding, began)).toBe(false)
    }
  })

  it('is not to blame where all that ran meanwhile failed, and there is nobody to ask', async () => {
    start()
    reachable = () => true
    const began = performance.now()
    const blamed = []
    for (let n = 1; n <= 6; n++) blamed.push(await fails(host(n), dead, began))
    expect(blamed).toEqual([false, false, false, false, true, true])
  })

  it('is to blame where anything answered meanwhile', async () => {
    start()
    reachable = () => false
    const began = performance.now()
    network.noteAnswer(host(99), fine)
    for (let n = 1; n <= 6; n++) expect(await fails(host(n), dead, began)).toBe(false)
  })

  it('does not have others asked that are paused or gone', async () => {
    start()
    reachable = () => true
    learn(6)
    isActive = () => false
    expect(await fails(host(9))).toBe(false)
    expect(asked).toEqual([])
  })

  it('does not have others asked who would be changed by it', async () => {
    start()
    reachable = () => false
    for (let n = 1; n <= 6; n++) {
      const target = { ...host(n), http: { ...plainHttp, method: 'POST' } } as Target
      network.noteAnswer(target, fine, { userId: 1, monitorId: n })
    }
    expect(await fails(host(9))).toBe(false)
    expect(asked).toEqual([])
  })
})

describe('a network that has just died', () => {
  it('is not spared because something answered while the check was under way', async () => {
    start()
    reachable = () => false
    const began = performance.now() - 8_000
    learn(6)
    const answered = performance.now()
    // Later than what still speaks for the network.
    await expect.poll(() => performance.now() - answered > 1_100, { timeout: 5_000 }).toBe(true)
    expect(await fails(host(1), dead, began)).toBe(true)
  })
})

describe('many dead targets', () => {
  it('do not make us blind as long as one other answers', async () => {
    start()
    reachable = (url) => url.includes('host-1.')
    learn(3)
    const began = performance.now()
    const blamed = []
    for (let n = 20; n <= 60; n++) blamed.push(await fails(host(n), dead, began))
    expect(blamed).not.toContain(true)
  })
})

describe('while the network is down', () => {
  it('what began does not count when it ends afterwards', async () => {
    start()
    reachable = () => false
    learn(6)
    const began = performance.now()
    await fails(host(1))
    network.noteAnswer(host(2), fine)
    expect(network.complaint).toBeUndefined()
    expect(await fails(host(3), dead, began)).toBe(true)
    reachable = () => true
    expect(await fails(host(3))).toBe(false)
  })

  it('everything is unknown, until some answer again', async () => {
    start()
    reachable = () => false
    learn(6)
    await fails(host(1))
    expect(await fails(host(77))).toBe(true)
    reachable = () => true
    await expect.poll(() => network.complaint, { timeout: 10_000 }).toBeUndefined()
    reachable = (url) => !url.includes('host-1.')
    expect(await fails(host(1))).toBe(false)
  })
})

describe('canaries', () => {
  async function openPort(): Promise<{ canary: Canary; close: () => Promise<void> }> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    return {
      canary: { host: '127.0.0.1', port },
      close: async () => {
        server.close()
        await once(server, 'close')
      },
    }
  }

  it('that can be reached prove the network, however many targets fail', async () => {
    const { canary, close } = await openPort()
    start([{ host: '127.0.0.1', port: 1 }, canary])
    const began = performance.now()
    for (let n = 1; n <= 8; n++) expect(await fails(host(n), dead, began)).toBe(false)
    await close()
  })

  it('of which none can be reached disprove it with the first failure', async () => {
    const { canary, close } = await openPort()
    await close()
    start([canary])
    expect(await fails(host(1))).toBe(true)
    expect(network.complaint).toMatch(/BELFRY_CANARIES/)
  })
})

describe('what counts as not reached', () => {
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
  ] as const)('%s: %s', (cause, expected) => {
    expect(isUnreached({ ...dead, failure: { cause, detail: '' } })).toBe(expected)
  })

  it('not a time-out in the middle of an answer', () => {
    expect(isUnreached({ ...dead, answered: true })).toBe(false)
  })
})
