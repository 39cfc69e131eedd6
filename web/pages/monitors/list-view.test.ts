import { describe, expect, it } from 'vitest'
import type { OverviewMonitor } from '../../lib/queries.ts'
import {
  defaultListOptions,
  filterMonitors,
  formatListOptions,
  type MonitorListOptions,
  parseListOptions,
  sortMonitors,
} from './list-view.ts'

let lastId = 0
const createMonitor = (friendly_name: string, fields: Partial<OverviewMonitor> = {}) =>
  ({
    id: ++lastId,
    friendly_name,
    url: `https://${friendly_name.toLowerCase().replaceAll(' ', '-')}.example.com/`,
    type: 'http',
    status: 'up',
    uptime_percent: 100,
    monitored_since: null,
    monitored_seconds: 0,
    last_response_ms: 50,
    tags: [],
    ...fields,
  }) as OverviewMonitor

const monitors = [
  createMonitor('Shop 10'),
  createMonitor('Shop 9', { status: 'paused', uptime_percent: null, last_response_ms: null }),
  createMonitor('Gateway', { type: 'ping', url: '192.0.2.1', last_response_ms: 900 }),
  createMonitor('Blog', { status: 'down', uptime_percent: 97.1, last_response_ms: null }),
  createMonitor('New', { status: 'pending', uptime_percent: null, last_response_ms: null }),
  createMonitor('Api', { status: 'down', uptime_percent: 99.2 }),
]
const sortAndFilter = (options: Partial<MonitorListOptions>) =>
  filterMonitors(sortMonitors(monitors, options.sort ?? defaultListOptions.sort), { ...defaultListOptions, ...options })
const listShownNames = (options: Partial<MonitorListOptions>) =>
  sortAndFilter(options).shownMonitors.map(({ friendly_name }) => friendly_name)

describe('sorting', () => {
  it('puts monitors that are down first by default, then sorts by name', () => {
    expect(listShownNames({})).toEqual(['Api', 'Blog', 'New', 'Gateway', 'Shop 10', 'Shop 9'])
  })

  it('compares numbers in names numerically', () => {
    expect(listShownNames({ sort: 'name' })).toEqual(['Api', 'Blog', 'Gateway', 'New', 'Shop 9', 'Shop 10'])
  })

  it('by uptime starts with the lowest and ends with monitors that have no data', () => {
    expect(listShownNames({ sort: 'uptime' })).toEqual(['Blog', 'Api', 'Gateway', 'Shop 10', 'New', 'Shop 9'])
  })

  it('by response time starts with the slowest and ends with monitors that are not up', () => {
    expect(listShownNames({ sort: 'response' })).toEqual(['Gateway', 'Shop 10', 'Api', 'Blog', 'New', 'Shop 9'])
  })
})

describe('filtering', () => {
  it('leaves the sample monitor out of the numbers, and lists it only among all monitors', () => {
    const sample = createMonitor('Sample', { status: 'paused', is_sample: true })
    const filter = (options: Partial<MonitorListOptions>) =>
      filterMonitors([...monitors, sample], { ...defaultListOptions, ...options })
    expect(filter({}).countByStatus).toEqual(filterMonitors(monitors, defaultListOptions).countByStatus)
    expect(filter({}).shownMonitors).toContain(sample)
    expect(filter({ status: 'paused' }).shownMonitors).not.toContain(sample)
  })

  it('finds the search term in names and URLs, ignoring case', () => {
    expect(listShownNames({ q: ' SHOP ' })).toEqual(['Shop 10', 'Shop 9'])
    expect(listShownNames({ q: '192.0' })).toEqual(['Gateway'])
    expect(listShownNames({ q: 'nothing' })).toEqual([])
  })

  it('shows only monitors that have all chosen tags, ignoring case', () => {
    const taggedMonitors = [createMonitor('A', { tags: ['Shop', 'eu'] }), createMonitor('B', { tags: ['shop'] })]
    const listNames = (tags: string[]) =>
      filterMonitors(taggedMonitors, { ...defaultListOptions, tags }).shownMonitors.map(
        (monitor) => monitor.friendly_name,
      )
    expect(listNames(['SHOP'])).toEqual(['A', 'B'])
    expect(listNames(['SHOP', 'EU'])).toEqual(['A'])
  })

  it('shows one status, but counts all monitors that match the search and the type', () => {
    const options = { type: 'http', status: 'down' } as const
    expect(listShownNames(options)).toEqual(['Api', 'Blog'])
    expect(sortAndFilter(options).countByStatus).toEqual({ all: 5, up: 1, down: 2, paused: 1 })
  })
})

describe('the query string', () => {
  it('holds the options that differ from the defaults', () => {
    const options: MonitorListOptions = {
      q: 'shop & co',
      status: 'down',
      type: 'ping',
      tags: ['eu', 'a & b'],
      sort: 'uptime',
    }
    const text = 'q=shop+%26+co&status=down&type=ping&sort=uptime&tag=eu&tag=a+%26+b'
    expect(`${formatListOptions(options)}`).toBe(text)
    expect(parseListOptions(formatListOptions(options))).toEqual(options)
    expect(`${formatListOptions(defaultListOptions)}`).toBe('')
  })

  it('falls back to the defaults for unknown values', () => {
    expect(parseListOptions(new URLSearchParams('status=constructor&type=&sort=__proto__'))).toEqual(defaultListOptions)
  })
})
