import { expect, it } from 'vitest'
import type { OverviewMonitor } from '../../lib/queries.ts'
import { listAddOptions } from './list-add-options.ts'

const monitor = (id: number, friendly_name: string, tags: string[] = []) =>
  ({ id, friendly_name, url: `https://${id}.example.com/`, tags }) as unknown as OverviewMonitor
const monitors = [
  monitor(1, 'Shop', ['eu']),
  monitor(2, 'Checkout', ['EU', 'pay']),
  monitor(3, 'Blog'),
  monitor(4, 'Mail'),
]
const groups = [{ key: 1, name: 'A', monitors: [{ monitorId: 4, label: 'Mail' }] }]
const list = (text: string) =>
  listAddOptions(monitors, groups, text).map(({ label, monitors }) => [label, monitors.map(({ id }) => id)])

it('the options to add offer all monitors that are not on the page, together, by tag and one by one', () => {
  expect(list('')).toEqual([
    ['All 3 monitors', [1, 2, 3]],
    ['All 2 monitors tagged eu', [1, 2]],
    ['Shop', [1]],
    ['Checkout', [2]],
    ['Blog', [3]],
  ])
})

it('the options to add can be searched by name, URL and tag', () => {
  expect(list('BLO')).toEqual([['Blog', [3]]])
  expect(list('2.example')).toEqual([['Checkout', [2]]])
  expect(list('pay')).toEqual([['Checkout', [2]]])
  expect(list('eu')).toEqual([
    ['All 2 monitors tagged eu', [1, 2]],
    ['Shop', [1]],
    ['Checkout', [2]],
  ])
  expect(list('mail')).toEqual([])
})
