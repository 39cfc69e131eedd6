import { describe, expect, it } from 'vitest'
import { defaultHttpSettings } from '../monitors/http-schema.ts'
import { defaultOptions } from '../monitors/option-schemas.ts'
import { FallbackTargets } from './fallback-targets.ts'
import type { Target } from './probes/probe.ts'

const createTarget = (host: string): Target => ({
  type: 'http',
  teamId: 1,
  url: `https://${host}/`,
  timeoutMs: 10_000,
  http: defaultHttpSettings,
})

const common = { url: 'shop.example:5432', timeoutMs: 10_000 }
const tlsTarget: Target = { ...common, type: 'tls', tls: defaultOptions.tls }
const createTcpTarget = (send: string | null): Target => ({ ...common, type: 'tcp', tcp: { send, expect: send } })

function findOnlyTarget(target: Target): Target | undefined {
  const targets = new FallbackTargets()
  targets.add({ teamId: 1, monitorId: 1 }, target, null, 1_000)
  return targets.list(2_000)[0]?.target
}

/** Adds targets, one every 100 ms from `now` on. */
function addAll(targets: FallbackTargets, teamId: number, hosts: string[], now: number): void {
  for (const [n, host] of hosts.entries())
    targets.add({ teamId, monitorId: n }, createTarget(host), null, now + n * 100)
}

const hostsOf = (count: number, name: string) => Array.from({ length: count }, (_, n) => `${name}-${n}.example`)
const listHosts = (targets: FallbackTargets, now: number) =>
  targets.list(now).map(({ target }) => new URL(target.url).hostname)

describe('fallback targets', () => {
  it('of one user are not displaced by fallback targets of another user', () => {
    const targets = new FallbackTargets()
    addAll(targets, 1, ['quiet.example'], 1_000)
    addAll(targets, 2, hostsOf(100, 'busy'), 2_000)
    expect(listHosts(targets, 20_000).slice(0, 8)).toContain('quiet.example')
  })

  it('alternate between the users, and begin with the latest response', () => {
    const targets = new FallbackTargets()
    addAll(targets, 1, ['a.example', 'b.example', 'c.example'], 1_000)
    addAll(targets, 2, ['d.example', 'e.example'], 2_000)
    expect(listHosts(targets, 5_000)).toEqual(['e.example', 'c.example', 'd.example', 'b.example', 'a.example'])
  })

  it('include only one target of each user if there are five or more users', () => {
    const targets = new FallbackTargets()
    for (let teamId = 1; teamId <= 5; teamId++) addAll(targets, teamId, hostsOf(3, `user-${teamId}`), teamId * 1_000)
    expect(listHosts(targets, 9_000)).toEqual([5, 4, 3, 2, 1].map((teamId) => `user-${teamId}-2.example`))
  })

  it('can be ports, without the text to send, and TLS servers', () => {
    expect(findOnlyTarget(createTcpTarget('PING'))).toEqual(createTcpTarget(null))
    expect(findOnlyTarget(tlsTarget)).toEqual(tlsTarget)
  })

  it("can't be DNS servers and registries", () => {
    const dns = { ...defaultOptions.dns, resolver: '9.9.9.9' }
    expect(findOnlyTarget({ ...common, type: 'dns', dns })).toBeUndefined()
    expect(findOnlyTarget({ ...common, type: 'domain', teamId: 1, domain: defaultOptions.domain })).toBeUndefined()
  })

  it('must have responded in the last ten minutes', () => {
    const targets = new FallbackTargets()
    addAll(targets, 1, ['old.example'], 0)
    addAll(targets, 2, ['new.example'], 300_000)
    expect(listHosts(targets, 599_999)).toEqual(['new.example', 'old.example'])
    expect(listHosts(targets, 600_001)).toEqual(['new.example'])
    expect(targets.listTeamIds(600_001)).toEqual([2])
  })
})
