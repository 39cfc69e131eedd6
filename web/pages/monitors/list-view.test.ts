import { describe, expect, it } from 'vitest'
import type { OverviewMonitor } from '../../lib/queries.ts'
import { filterMonitors, plainView, readView, sortMonitors, type View, writeView } from './list-view.ts'

let lastId = 0
const monitor = (friendly_name: string, fields: Partial<OverviewMonitor> = {}) =>
  ({
    id: ++lastId,
    friendly_name,
    url: `https://${friendly_name.toLowerCase().replaceAll(' ', '-')}.example.com/`,
    type: 'http',
    status: 'up',
    uptime_percent: 100,
    last_response_ms: 50,
    ...fields,
  }) as OverviewMonitor

const monitors = [
  monitor('Shop 10'),
  monitor('Shop 9', { status: 'paused', uptime_percent: null, last_response_ms: null }),
  monitor('Gateway', { type: 'ping', url: '192.0.2.1', last_response_ms: 900 }),
  monitor('Blog', { status: 'down', uptime_percent: 97.1, last_response_ms: null }),
  monitor('New', { status: 'pending', uptime_percent: null, last_response_ms: null }),
  monitor('Api', { status: 'down', uptime_percent: 99.2 }),
]
const filtered = (view: Partial<View>) =>
  filterMonitors(sortMonitors(monitors, view.sort ?? plainView.sort), { ...plainView, ...view })
const shown = (view: Partial<View>) => filtered(view).shown.map(({ friendly_name }) => friendly_name)

describe('the order of monitors', () => {
  it('is down first, then by name, unless something else is asked for', () => {
    expect(shown({})).toEqual(['Api', 'Blog', 'New', 'Gateway', 'Shop 10', 'Shop 9'])
  })

  it('by name reads numbers as numbers', () => {
    expect(shown({ sort: 'name' })).toEqual(['Api', 'Blog', 'Gateway', 'New', 'Shop 9', 'Shop 10'])
  })

  it('by uptime begins with the worst and ends with those never watched', () => {
    expect(shown({ sort: 'uptime' })).toEqual(['Blog', 'Api', 'Gateway', 'Shop 10', 'New', 'Shop 9'])
  })

  it('by response begins with the slowest and ends with those that did not answer', () => {
    expect(shown({ sort: 'response' })).toEqual(['Gateway', 'Api', 'Shop 10', 'Blog', 'New', 'Shop 9'])
  })
})

describe('what is shown', () => {
  it('is what has the term in its name or address, in whatever case', () => {
    expect(shown({ q: ' SHOP ' })).toEqual(['Shop 10', 'Shop 9'])
    expect(shown({ q: '192.0' })).toEqual(['Gateway'])
    expect(shown({ q: 'nothing' })).toEqual([])
  })

  it('is of one status, while the counts are of all that search and type leave', () => {
    const view = { type: 'http', status: 'down' } as const
    expect(shown(view)).toEqual(['Api', 'Blog'])
    expect(filtered(view).counts).toEqual({ all: 5, up: 1, down: 2, paused: 1 })
  })
})

describe('the address', () => {
  it('keeps the view and nothing that is as usual', () => {
    const view: View = { q: 'shop & co', status: 'down', type: 'ping', sort: 'uptime' }
    expect(`${writeView(view)}`).toBe('q=shop+%26+co&status=down&type=ping&sort=uptime')
    expect(readView(writeView(view))).toEqual(view)
    expect(`${writeView(plainView)}`).toBe('')
  })

  it('may hold nonsense, which means nothing', () => {
    expect(readView(new URLSearchParams('status=constructor&type=&sort=__proto__'))).toEqual(plainView)
  })
})
