import { expect, it } from 'vitest'
import type { SpikeDetails } from '../../shared/spike.ts'
import { describeSpike, formatSpikeAlert } from './spike-text.ts'

const now = new Date('2026-01-05T10:00:00.000Z')
const details: SpikeDetails = {
  visits: 1_312,
  expected: 40.4,
  factor: 32.5,
  source: 'news.ycombinator.com',
  source_visits: 1_250,
  since: '2026-01-05T09:00:00.000Z',
}

it.each<[Partial<SpikeDetails>, string]>([
  [{}, '1,312 visits in the last hour, 40 expected. Most came from news.ycombinator.com (1,250).'],
  [{ source_visits: 656 }, '1,312 visits in the last hour, 40 expected. The top source is news.ycombinator.com (656).'],
  [{ source: null, source_visits: null }, '1,312 visits in the last hour, 40 expected.'],
  [{ source: null, expected: 0.2 }, '1,312 visits in the last hour, almost none expected.'],
  [{ source: null, since: '2026-01-05T08:51:00.000Z' }, '1,312 visits in the last hour, 40 expected.'],
  [{ source: null, since: '2026-01-05T09:03:00.000Z' }, '1,312 visits in the last hour, 40 expected.'],
  [{ source: null, since: '2026-01-05T09:30:00.000Z' }, '1,312 visits in the last 30 minutes, 40 expected.'],
  [{ source: null, since: '2026-01-05T07:00:00.000Z' }, '1,312 visits in the last 3 hours, 40 expected.'],
  [
    { source: 'evil\nDown: Shop\u202e' },
    '1,312 visits in the last hour, 40 expected. Most came from evil Down: Shop\u{fffd} (1,250).',
  ],
])('the text of the spike %j is: %s', (changes, sentence) => {
  expect(describeSpike({ ...details, ...changes }, now)).toBe(sentence)
})

it('the title of a spike alert names the website', () => {
  expect(formatSpikeAlert({ friendlyName: 'example.com', url: 'https://example.com/', details, now })).toEqual({
    title: 'Traffic spike: example.com',
    body: 'https://example.com/\n1,312 visits in the last hour, 40 expected. Most came from news.ycombinator.com (1,250).',
  })
})
