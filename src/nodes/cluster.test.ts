import { describe, expect, it } from 'vitest'
import type { Role } from '../config/config.ts'
import { Cluster } from './cluster.ts'

const process1 = (...roles: Role[]) => ({ processId: 1, roles, schemaVersion: 10 })
const process2 = (...roles: Role[]) => ({ processId: 2, roles, schemaVersion: 10 })

function createCluster() {
  let now = 100_000
  const cluster = new Cluster(() => now)
  return {
    cluster,
    recordAfter(seconds: number, ...leases: Parameters<Cluster['recordHeartbeat']>[0]) {
      now += seconds * 1000
      cluster.recordHeartbeat(leases)
      return cluster.degradedReasons
    },
  }
}

describe('a cluster', () => {
  it('reports that it has no checker or worker, but not in the first seconds', () => {
    const { recordAfter } = createCluster()
    expect(recordAfter(1, process1('web'))).toEqual([])
    expect(recordAfter(14, process1('web'))).toEqual([])
    expect(recordAfter(1, process1('web'))).toEqual([
      'No live node has the role checker: no checks run. Start one with BELFRY_ROLES=checker.',
      'No live node has the role worker: no alerts or reports are sent. Start one with BELFRY_ROLES=worker.',
    ])
    expect(recordAfter(1, process1('web'), process2('checker'))).toEqual([
      'No live node has the role worker: no alerts or reports are sent. Start one with BELFRY_ROLES=worker.',
    ])
    expect(recordAfter(1, process1('web'), process2('checker', 'worker'))).toEqual([])
  })

  it('does not report a role that is missing for a few seconds, as during a restart', () => {
    const { recordAfter } = createCluster()
    recordAfter(100, process1('web'), process2('checker', 'worker'))
    expect(recordAfter(10, process1('web'))).toEqual([])
    expect(recordAfter(1, process1('web'), process2('checker', 'worker'))).toEqual([])
  })

  it('counts processes by role, although each has several leases', () => {
    const { cluster, recordAfter } = createCluster()
    recordAfter(1, process1('web', 'worker'), process1('web', 'worker'), process2('worker'))
    expect([...cluster.countNodesByRole()]).toEqual([
      ['web', 1],
      ['checker', 0],
      ['worker', 2],
    ])
    expect(cluster.countLeases()).toBe(3)
  })

  it('refuses features of a later schema version while a node knows only an earlier version', () => {
    const { cluster, recordAfter } = createCluster()
    recordAfter(1, { ...process1('web', 'worker'), schemaVersion: 12 }, { ...process2('checker'), schemaVersion: 11 })
    expect(() => cluster.requireUpgraded('checker', 12)).toThrow('Finish the upgrade first.')
    expect(() => cluster.requireUpgraded('checker', 11)).not.toThrow()
    expect(() => cluster.requireUpgraded('worker', 12)).not.toThrow()
  })

  it('lets the first process with a role do what only one node should do, unless its version is too old', () => {
    const { cluster, recordAfter } = createCluster()
    expect(cluster.isFirst('worker', 2, 10)).toBe(true)
    recordAfter(1, process1('worker'), process2('worker'))
    expect([cluster.isFirst('worker', 1, 10), cluster.isFirst('worker', 2, 10)]).toEqual([true, false])
    expect(cluster.isFirst('worker', 2, 11)).toBe(true)
    recordAfter(1, process1('web'), process2('worker'))
    expect(cluster.isFirst('worker', 2, 10)).toBe(true)
  })
})
