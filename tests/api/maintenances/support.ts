/** A server with a monitor of the owner and one of a stranger, and functions to create and read maintenances. */
import { createJob } from '../../../src/app/jobs.ts'
import type { MaintenanceRecord } from '../../../src/maintenances/schema.ts'
import type { Client } from '../../support/client.ts'
import { createMonitor, getMonitor, shareMonitorFixture } from '../../support/monitors.ts'
import type { TestServer, TestUser } from '../../support/server.ts'

export const maintenancesPath = '/api/maintenances'

export const deployment = { title: 'Deployment', duration_seconds: 1_800, all_monitors: true }

export interface MaintenanceFixture {
  server: TestServer
  owner: TestUser
  stranger: TestUser
  /** A client with an API key of the owner. */
  client: Client
  monitorId: number
  foreignMonitorId: number
  /** Creates a maintenance with the fields of `deployment`, unless `fields` replaces them. */
  create(fields?: object): Promise<MaintenanceRecord>
  read(id: number): Promise<MaintenanceRecord>
  /** Whether the monitor is in a maintenance. The default is the owner's monitor. */
  isInMaintenance(id?: number): Promise<boolean>
  handleDueWindows(): Promise<unknown>
  /** Deletes all maintenances, and resets the clock. */
  reset(): Promise<void>
}

export async function startMaintenanceFixture(): Promise<MaintenanceFixture> {
  const { server, owner, keyClient: client } = await shareMonitorFixture()
  const { db } = server.services
  const stranger = await server.createUser('stranger')
  const monitorId = (await createMonitor(client)).id
  return {
    server,
    owner,
    stranger,
    client,
    monitorId,
    foreignMonitorId: (await createMonitor(stranger.session)).id,
    async create(fields = {}) {
      const { status, body, text } = await client.post(maintenancesPath, { ...deployment, ...fields })
      if (status !== 201) throw new Error(`maintenance not created: ${status} ${text}`)
      return body.data
    },
    read: async (id) => (await client.get(`${maintenancesPath}/${id}`)).body.data,
    isInMaintenance: async (id = monitorId) => (await getMonitor(client, id)).in_maintenance,
    handleDueWindows: () => createJob('begin and end maintenances', server.services).run(),
    async reset() {
      await db.query('delete from maintenances')
      await db.query('update monitors set maintenance_until = null')
      server.clock.reset()
    },
  }
}
