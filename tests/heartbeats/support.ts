/** A server with a checker that tests run step by step, and heartbeats on it. */
import type { Environment } from '../../src/config/config.ts'
import type { IncidentRecord } from '../../src/incidents/schema.ts'
import type { MonitorRecord } from '../../src/monitors/schema.ts'
import { startChecker, type TestChecker } from '../support/checker.ts'
import { createMonitor, getMonitor, type MonitorFixture, startMonitorFixture } from '../support/monitors.ts'

export interface Heartbeat {
  id: number
  token: string
  /** Sends a beat. `signal` is what follows the token, such as `/start`. */
  beat(signal?: string, options?: RequestInit): Promise<Response>
  get(): Promise<MonitorRecord>
  list(): Promise<{ data: Record<string, unknown>[]; meta: Record<string, unknown> }>
  listIncidents(): Promise<IncidentRecord[]>
}

export interface HeartbeatFixture extends MonitorFixture {
  checker: TestChecker
  /**
   * Advances the clock and runs the checks that are due then. If a check starts more than 15 s after it was due, Belfry
   * assumes that no node ran in between.
   */
  advance(seconds: number): Promise<void>
  /** Advances the clock to a later time and runs the checks that are due then. */
  goTo(time: string): Promise<void>
  create(heartbeat?: object): Promise<Heartbeat>
  close(): Promise<void>
}

export async function startHeartbeatFixture(options: { env?: Environment } = {}): Promise<HeartbeatFixture> {
  const fixture = await startMonitorFixture(options)
  const { server, keyClient } = fixture
  const checker = await startChecker(server)
  const advance = async (seconds: number) => {
    server.clock.advance({ seconds })
    await checker.run()
  }
  return {
    ...fixture,
    checker,
    advance,
    goTo: (time) => advance((Date.parse(time) - server.clock.now().getTime()) / 1000),
    async create(heartbeat = { period: 3_600, grace: 300 }) {
      const { id, url } = await createMonitor(keyClient, { url: undefined, type: 'heartbeat', heartbeat })
      const token = url.split('/').at(-1) ?? ''
      const path = `/api/monitors/${id}`
      return {
        id,
        token,
        beat: (signal = '', options = {}) => fetch(`${server.address}/beat/${token}${signal}`, options),
        get: () => getMonitor(keyClient, id),
        list: async () => (await keyClient.get(`${path}/beats`)).body,
        listIncidents: async () => (await keyClient.get(`${path}/incidents?window=1y`)).body.data,
      }
    },
    async close() {
      await checker.stop()
      await server.close()
    },
  }
}
