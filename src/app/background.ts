/** What a process does beside answering requests, by its roles. */

import { keepReminding } from '../alerts/reminders.ts'
import { Delivery } from '../outbox/outbox.ts'
import { keepPartitions } from '../results/partitions.ts'
import { keepRollups } from '../results/rollup.ts'
import { keepReports } from '../traffic/reports/reports.ts'
import { keepHouse } from './housekeeping.ts'
import type { Services } from './services.ts'
import { keepTraffic } from './traffic-upkeep.ts'

export interface Background {
  /** There is something to say. */
  wake(): void
  stop(): Promise<void>
}

export async function startBackground(services: Services): Promise<Background> {
  const { checkService, config } = services
  const housekeeping = keepHouse(services)
  const isChecker = config.roles.has('checker')
  const isWorker = config.roles.has('worker')
  const partitions = isChecker || isWorker ? keepPartitions(services) : undefined
  await partitions?.start()
  const work = isWorker ? await startWork(services) : undefined
  if (isChecker) await checkService.start()
  return {
    wake: () => work?.wake(),
    async stop() {
      housekeeping.stop()
      await Promise.all([checkService.stop(), work?.stop(), partitions?.stop()])
    },
  }
}

async function startWork(services: Services): Promise<Background> {
  const { checkService, lease } = services
  const node = lease.createClaimant()
  const delivery = new Delivery({ ...services, node })
  const wake = () => delivery.wake()
  await lease.start()
  delivery.start()
  const reminding = keepReminding({ ...services, isBlind: () => checkService.isOffline(), onAlerts: wake })
  const rollups = keepRollups(services)
  void rollups.start()
  const traffic = await keepTraffic(services)
  const reports = keepReports({ ...services, node })
  void reports.start()
  return {
    wake,
    async stop() {
      reminding.stop()
      await Promise.all([rollups.stop(), delivery.stop(), reports.stop(), traffic.stop()])
    },
  }
}
