import { expect, it } from 'vitest'
import { summarizePage } from './summarize-page.ts'

const page = (ids: number[], open_posts = 0) => ({
  groups: [{ name: 'A', monitors: ids.map((monitor_id) => ({ monitor_id, label: '' })) }],
  open_posts,
})
const monitor = (
  id: number,
  status: 'up' | 'down' | 'pending' | 'paused',
  maintenance_until: string | null = null,
) => ({ id, status, maintenance_until })

const upMonitor = monitor(1, 'up')
const downMonitor = monitor(2, 'down')
const monitorInMaintenance = monitor(2, 'down', '2026-01-05T12:00:00.000Z')

it.each([
  ['good', 'All systems operational', page([1]), [upMonitor, downMonitor]],
  ['warn', 'Some systems are down', page([1, 2]), [upMonitor, downMonitor]],
  ['bad', 'All systems are down', page([2]), [upMonitor, downMonitor]],
  ['warn', 'Incident in progress', page([1], 1), [upMonitor]],
  ['info', 'Maintenance in progress', page([1, 2]), [upMonitor, monitorInMaintenance]],
  ['idle', 'No data yet', page([3]), [monitor(3, 'pending')]],
  ['idle', 'No data yet', page([]), [upMonitor]],
  ['idle', '…', page([1]), undefined],
])('the list of status pages says about a page in the tone %s: %s', (tone, text, statusPage, monitors) => {
  expect(summarizePage(statusPage, monitors)).toEqual({ tone, text })
})
