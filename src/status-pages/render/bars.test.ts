import { describe, expect, it } from 'vitest'
import { createPageMonitor } from '../../../tests/support/status-page-snapshots.ts'
import type { SnapshotMonitor } from '../snapshot.ts'
import { renderBars } from './bars.ts'

const render = (changes: Partial<SnapshotMonitor>) => renderBars(createPageMonitor({ id: 1, ...changes }), '2026-08-19')
const pathsOf = (html: string) =>
  Object.fromEntries([...html.matchAll(/class="bar-(\w+)" d="(.*?)"/g)].map(([, ...kv]) => kv))
const summaryOf = (html: string) => /<p class="hidden">(.*?)<\/p>/.exec(html)?.[1]

describe('the bars of a monitor', () => {
  it('are one path if it was always up', () => {
    const html = render({ days: '0-89' })
    expect(pathsOf(html)).toEqual({ up: 'M0 0h810v36h-810z' })
    expect(summaryOf(html)).toBe('No downtime in the last 90 days.')
  })

  it('are one path per color, with days before the first check in gray', () => {
    expect(pathsOf(render({ days: '2-89;3:50:1,5:600:1,89:7200:2' }))).toEqual({
      idle: 'M0 0h18v36h-18z',
      up: 'M18 0h9v36h-9zM36 0h9v36h-9zM54 0h747v36h-747z',
      brief: 'M27 0h9v36h-9z',
      partial: 'M45 0h9v36h-9z',
      down: 'M801 0h9v36h-9z',
    })
  })

  it('are red today while the monitor is down, even if the outage is short', () => {
    expect(pathsOf(render({ days: '0-89;89:20:1', state: 'down' }))['down']).toBe('M801 0h9v36h-9z')
  })

  it('contain their days for the script, and a text for people without scripts', () => {
    const html = render({ days: '0-89;41:312:2,85:840:1,89:60:1:36000' })
    expect(html).toContain('data-days="0-89;41:312:2,85:840:1,89:60:1:36000"')
    expect(summaryOf(html)).toBe(
      '16 November: down 1 min, 99.83%; 12 November: down 14 min, 99.02%; 29 September: down 5 min 12 s, 99.63%.',
    )
  })

  it('list at most ten days as text', () => {
    const days = `0-89;${Array.from({ length: 90 }, (_, day) => `${day}:60:1`).join(',')}`
    expect(summaryOf(render({ days }))).toMatch(/; and 80 more days with downtime\.$/)
  })
})
