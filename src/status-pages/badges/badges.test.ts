import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { describe, expect, it } from 'vitest'
import { createPageMonitor } from '../../../tests/support/status-page-snapshots.ts'
import { createStatusSnapshot } from '../../../tests/support/status-snapshot.ts'
import { contrastOf, MIN_TEXT_CONTRAST } from '../../shared/color-contrast.ts'
import { overallStates, publicMonitorStates } from '../../shared/status-pages.ts'
import { DAY_MS } from '../../shared/time.ts'
import { dayOf, formatDayText } from '../render/times.ts'
import { badgeColors, drawBadge, labelColors } from './draw-badge.ts'
import { measureText } from './measure-text.ts'
import { renderBadge } from './render-badge.ts'

const snapshot = createStatusSnapshot()

/** Throws if the image is not well-formed XML. Returns its texts in order, and the attributes of its elements. */
function parseSvg(svg: string) {
  const tags: SaxesTagPlain[] = []
  const texts: string[] = []
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', (tag) => {
    tags.push(tag)
  })
  parser.on('text', (text) => {
    if (text.trim() !== '') texts.push(text)
  })
  parser.write(svg).close()
  return { tags, root: tags[0]?.attributes ?? {}, texts: texts.slice(1), title: texts[0] }
}

const textsOf = (...parameters: Parameters<typeof renderBadge>) => parseSvg(renderBadge(...parameters)).texts

describe('renderBadge', () => {
  it('shows the state of the page or of a monitor', () => {
    expect(textsOf(snapshot, {})).toEqual(['Example status', 'partly down'])
    expect(textsOf(snapshot, { type: 'state' }, 3)).toEqual(['Shop', 'operational'])
    expect(textsOf(snapshot, {}, 4)).toEqual(['Orders', 'down'])
    expect(textsOf(snapshot, { label: 'Our shop' }, 3)).toEqual(['Our shop', 'operational'])
    expect(textsOf(snapshot, { label: '' }, 3)).toEqual(['operational'])
  })

  it('shows since when young monitors are monitored', () => {
    const since = snapshot.readAt - 3 * DAY_MS
    const showMonitors = (...ms: number[]) => {
      const monitors = ms.map((ms, id) => createPageMonitor({ id, monitored: { since, ms } }))
      const page = { ...snapshot, groups: [{ name: '', monitors }] }
      return [textsOf(page, { type: 'uptime' }), textsOf(page, { type: 'uptime', period: '24h' })]
    }
    const day = formatDayText(dayOf(since, snapshot.page.timeZone))
    // Without a day of data, there is no percentage. Other monitors of the page have one.
    expect(showMonitors(DAY_MS - 1)).toEqual([
      ['uptime 30d', `since ${day}`],
      ['uptime 24h', `since ${day}`],
    ])
    expect(showMonitors(DAY_MS - 1, DAY_MS)).toEqual([
      [`uptime since ${day}`, '100%'],
      ['uptime 24h', '100%'],
    ])
  })

  it('shows the uptime of a monitor, or the mean of the page', () => {
    expect(textsOf(snapshot, { type: 'uptime' }, 3)).toEqual(['uptime 30d', '99.98%'])
    expect(textsOf(snapshot, { type: 'uptime', period: '24h' }, 3)).toEqual(['uptime 24h', '100%'])
    expect(textsOf(snapshot, { type: 'uptime', period: '24h' })).toEqual(['uptime 24h', '99.90%'])
    // Only one monitor has an uptime for 90 days, so the page shows the uptime of this monitor.
    expect(textsOf(snapshot, { type: 'uptime', period: '90d' })).toEqual(['uptime 90d', '99.99%'])
    expect(textsOf(snapshot, { type: 'uptime', period: '90d' }, 4)).toEqual(['uptime 90d', 'no data'])
    expect(textsOf({ ...snapshot, groups: [] }, { type: 'uptime' })).toEqual(['uptime 30d', 'no data'])
  })

  it('shows response times only if the page shows them', () => {
    expect(textsOf(snapshot, { type: 'response_time' }, 3)).toEqual(['response time 24h', '184 ms'])
    expect(textsOf(snapshot, { type: 'response_time', period: '24h' })).toEqual(['response time 24h', '184 ms'])
    expect(textsOf(snapshot, { type: 'response_time' }, 4)).toEqual(['response time 24h', 'no data'])
    const snapshotWithoutTimes = { ...snapshot, page: { ...snapshot.page, showResponseTimes: false } }
    expect(() => renderBadge(snapshotWithoutTimes, { type: 'response_time' }, 3)).toThrow("doesn't show response times")
  })

  it('rejects response times of other periods, and monitors that are not on the page', () => {
    expect(() => renderBadge(snapshot, { type: 'response_time', period: '30d' })).toThrow('`period` must be 24h')
    expect(() => renderBadge(snapshot, {}, 5)).toThrow("Not found, or you don't have access.")
  })

  it('draws a badge with a color in every state', () => {
    for (const overall of overallStates)
      expect(renderBadge({ ...snapshot, overall }, {})).toMatch(/fill="#[0-9a-f]{6}"/)
    const [monitor] = snapshot.groups[0]?.monitors ?? []
    if (monitor === undefined) throw new Error('the sample has no monitor')
    for (const state of publicMonitorStates) {
      const groups = [{ name: 'Website', monitors: [{ ...monitor, state }] }]
      expect(renderBadge({ ...snapshot, groups }, {}, 3)).toMatch(/fill="#[0-9a-f]{6}"/)
    }
  })
})

describe('drawBadge', () => {
  const style = { color: 'green', style: 'flat', theme: 'dark' } as const

  it('labels the badge for screen readers', () => {
    const { root, title } = parseSvg(drawBadge({ label: 'Shop', value: 'operational', ...style }))
    expect(root).toMatchObject({ role: 'img', 'aria-label': 'Shop: operational' })
    expect(title).toBe('Shop: operational')
  })

  it('uses colors with enough contrast', () => {
    for (const background of Object.values(badgeColors))
      expect(contrastOf(background, '#ffffff')).toBeGreaterThanOrEqual(MIN_TEXT_CONTRAST)
    for (const { background, text } of Object.values(labelColors))
      expect(contrastOf(background, text)).toBeGreaterThanOrEqual(MIN_TEXT_CONTRAST)
  })

  it('fits every text into its part, whatever it contains', () => {
    const labels = [
      '',
      'a',
      'W'.repeat(100),
      '日本語',
      'حالة',
      '👨‍👩‍👧‍👦',
      '\u{0}\u{202e}<&"\u{d800}',
      ' \u{200b} ',
      'e\u{301}'.repeat(9),
    ]
    for (const label of labels) {
      const { tags, root } = parseSvg(drawBadge({ label, value: 'up', ...style }))
      const texts = tags.filter(({ name }) => name === 'text').map(({ attributes }) => attributes)
      const ends = texts.map(({ x, textLength }) => Number(x) + Number(textLength) + 6)
      expect(ends.at(-1)).toBe(Number(root['width']))
      for (const [index, end] of ends.slice(0, -1).entries()) expect(Number(texts[index + 1]?.['x']) - 6).toBe(end)
    }
  })

  it('shows markup and control characters as text, and drops characters that hide or reverse text', () => {
    const { texts } = parseSvg(
      drawBadge({ label: '<script>&\u{202e}"\n\u{0}a\u{200b}\u{2066}b', value: '\u{d800}', ...style }),
    )
    expect(texts).toEqual(['<script>&" ab', '\u{fffd}'])
  })
})

describe('measureText', () => {
  it('knows the widths of Latin, Greek and Cyrillic letters, and counts squares and emoji as wide', () => {
    expect(measureText('iiii', 10)).toBeLessThan(measureText('mmmm', 10) / 3)
    expect(measureText('日本', 10)).toBe(20)
    expect(measureText('👨‍👩‍👧‍👦', 10)).toBe(13)
    expect(measureText('e\u{301}', 10)).toBe(measureText('é', 10))
    expect(measureText('Ж', 10)).toBeGreaterThan(measureText('г', 10))
  })
})
