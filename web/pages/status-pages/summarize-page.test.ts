import { expect, it } from 'vitest'
import { summarizePage } from './summarize-page.ts'

const page = (...ids: number[]) => ({
  groups: [{ name: 'A', monitors: ids.map((monitor_id) => ({ monitor_id, label: '' })) }],
})
const monitor = (
  id: number,
  status: 'up' | 'down' | 'pending' | 'paused',
  maintenance_until: string | null = null,
) => ({
  id,
  status,
  maintenance_until,
})

it('the summary of a page counts only monitors of that page', () => {
  const upMonitor = monitor(1, 'up')
  const downMonitor = monitor(2, 'down')
  expect(summarizePage(page(1), [upMonitor, downMonitor])).toEqual({ tone: 'up', text: 'All systems operational' })
  expect(summarizePage(page(1, 2), [upMonitor, downMonitor])).toEqual({ tone: 'down', text: '1 of 2 monitors down' })
  expect(summarizePage(page(1, 3), [upMonitor, monitor(3, 'paused')])).toEqual({
    tone: 'up',
    text: 'All systems operational',
  })
  const monitorInMaintenance = monitor(2, 'down', '2026-01-05T12:00:00.000Z')
  expect(summarizePage(page(1, 2), [upMonitor, monitorInMaintenance])).toEqual({
    tone: 'maintenance',
    text: 'Maintenance in progress',
  })
})

it('the summary of a page says that there are no monitors or no data yet', () => {
  expect(summarizePage(page(), [])).toEqual({ tone: 'unknown', text: 'No monitors' })
  expect(summarizePage(page(1), undefined)).toEqual({ tone: 'unknown', text: '…' })
  expect(summarizePage(page(1), [monitor(1, 'pending')])).toEqual({ tone: 'unknown', text: 'No data yet' })
})
