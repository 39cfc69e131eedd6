import { describe, expect, it } from 'vitest'
import { createSampleMessages, sampleAcknowledgeUrl, sampleImpact } from '../../tests/support/sample-messages.ts'
import { markers } from '../channels/common/markers.ts'
import {
  formatDownAlert,
  formatExpiryAlert,
  formatExpiryOccurrence,
  formatRecoveryAlert,
  formatReminder,
  parseExpiryOccurrence,
} from './message.ts'

const messages = createSampleMessages({ friendlyName: 'Shop', url: 'https://example.com/' })
const toLines = ({ facts = [] }: (typeof messages)['down']) => facts.map(({ label, value }) => `${label}: ${value}`)

describe('the message of an alert', () => {
  it('says what is down, why, since when and for how long', () => {
    expect(messages.down).toMatchObject({ kind: 'down', alert: { state: 'Down', monitorName: 'Shop' } })
    expect(toLines(messages.down)).toEqual([
      'URL: https://example.com/',
      'Cause: Status 503, expected 200–399',
      'Down since: 5 Jan 2026, 11:00:00 (Europe/Berlin, UTC+1)',
      'Down for: 15 s',
    ])
  })

  it('says from when to when a monitor was down', () => {
    expect(messages.recovered.alert?.state).toBe('Recovered after 5 min 12 s')
    expect(toLines(messages.recovered).slice(2)).toEqual([
      'Down since: 5 Jan 2026, 11:00:00 (Europe/Berlin, UTC+1)',
      'Up since: 5 Jan 2026, 11:05:12 (Europe/Berlin, UTC+1)',
      'Down for: 5 min 12 s',
    ])
  })

  it('says in a reminder how long the monitor has been down', () => {
    expect(messages.reminder.alert?.state).toBe('Still down after 2 h')
    expect(toLines(messages.reminder).at(-1)).toBe('Down for: 2 h')
  })

  it('says when a certificate expires', () => {
    expect(messages.certificate.alert?.state).toBe('Certificate expires in 14 days')
    expect(toLines(messages.certificate).slice(1)).toEqual([
      'Expires on: 19 Jan 2026, 10:00:00 (Europe/Berlin, UTC+1)',
      'Time left: 14 days',
    ])
  })

  it.each([
    ['http', 'URL'],
    ['ping', 'Host'],
    ['tcp', 'Host'],
    ['tls', 'Host'],
    ['dns', 'Name'],
    ['domain', 'Domain'],
  ] as const)('about a monitor of type %s names its %s', (type, label) => {
    const [first] = toLines(createSampleMessages({ type, url: 'example.com' }).down)
    expect(first).toBe(`${label}: example.com`)
  })

  it('about a heartbeat names no URL, because it contains a secret', () => {
    expect(toLines(createSampleMessages({ type: 'heartbeat', url: '' }).down)[0]).toMatch(/^Cause: /)
  })

  it('says when the registration of a domain expires', () => {
    const { certificate } = createSampleMessages({ friendlyName: 'Example', type: 'domain' })
    expect(certificate.title).toBe('Domain expires in 14 days: Example')
    expect(certificate.alert?.state).toBe('Domain expires in 14 days')
  })

  it('links to the statistics of a website without visits or with a spike', () => {
    const silence = createSampleMessages({ type: 'traffic', url: 'https://example.com/' })
    const statisticsLink = { label: 'View statistics', url: 'https://stats.example.org/example.com' }
    expect(silence.down.links?.[2]).toEqual(statisticsLink)
    expect(silence.spike.links).toEqual([
      statisticsLink,
      { label: 'View monitor', url: 'https://stats.example.org/monitors/3' },
    ])
  })

  it('links to the incident, the page that acknowledges it, and the monitor, or to the monitor if there is no incident', () => {
    const monitorLink = { label: 'View monitor', url: 'https://stats.example.org/monitors/3' }
    const incidentLink = { label: 'View incident', url: 'https://stats.example.org/incidents/5' }
    const acknowledgeLink = { label: 'Acknowledge', url: sampleAcknowledgeUrl }
    expect(messages.down.links).toEqual([incidentLink, acknowledgeLink, monitorLink])
    expect(messages.reminder.links).toEqual([incidentLink, acknowledgeLink, monitorLink])
    expect(messages.recovered.links).toEqual([incidentLink, monitorLink])
    expect(messages.certificate.links).toEqual([monitorLink])
    expect(createSampleMessages({ baseUrl: undefined }).down.links).toEqual([])
  })

  it('says who has acknowledged the incident, instead of the link', () => {
    const { reminder } = createSampleMessages({ acknowledgedBy: 'ada@example.com' })
    expect(toLines(reminder).at(-1)).toBe('Acknowledged by: ada@example.com')
    expect(reminder.links?.map(({ label }) => label)).toEqual(['View incident', 'View monitor'])
  })

  it('has a title that starts with the word for its kind and ends with the name of the monitor', () => {
    for (const kind of ['down', 'recovered', 'reminder', 'certificate', 'spike'] as const) {
      const { title, alert } = messages[kind]
      expect(title.startsWith(markers[kind].word)).toBe(true)
      expect(title).toBe(`${alert?.state}: Shop`)
    }
  })

  it('shortens long URLs and causes, and removes their line breaks', () => {
    const url = `https://example.com/${'x'.repeat(2_000)}`
    const [urlLine = '', cause] = toLines(createSampleMessages({ url, detail: 'a\r\n\tb\0c\u202ed' }).down)
    expect([urlLine.length, urlLine.at(-1), cause]).toEqual(['URL: '.length + 301, '…', 'Cause: a b c\u{fffd}d'])
  })
})

describe('a message about an outage', () => {
  const listLabels = (message: (typeof messages)['down']) => (message.facts ?? []).map(({ label }) => label)
  const impact = { ...sampleImpact, visits_seen: 0, visits_expected: 12 }

  it.each([
    ['normal', { ...impact, visits_seen: 11 }, 'Traffic: visitors are still arriving as usual (11 of 12 expected)'],
    ['gone', impact, 'Traffic: visitors are gone (0 of 12 expected)'],
    ['gone', { ...impact, visits_expected: 1_234 }, 'Traffic: visitors are gone (0 of 1,234 expected)'],
    ['gone', null, 'Traffic: visitors are gone'],
  ] as const)('says in the facts that visitors are %s', (visitors, sample, line) => {
    const { down, reminder, recovered } = createSampleMessages({ visitors, impact: sample })
    for (const message of [down, reminder]) expect(toLines(message).at(-1)).toBe(line)
    expect(listLabels(recovered)).not.toContain('Traffic')
  })

  it('says nothing about visitors if there are too few visits to tell', () => {
    for (const visitors of ['unknown', null] as const) {
      const samples = createSampleMessages({ visitors, impact })
      expect(listLabels(samples.down)).not.toContain('Traffic')
    }
  })

  it('says how many visits the outage has cost, once it is over', () => {
    const { down, recovered } = createSampleMessages({ impact: sampleImpact })
    expect(toLines(recovered).at(-1)).toBe('Impact: about 140 visits missed (95 to 190)')
    expect(listLabels(down)).not.toContain('Impact')
    const unknown = { ...sampleImpact, visits_missed: null, visits_missed_low: null, visits_missed_high: null }
    for (const unknownImpact of [unknown, null]) {
      expect(listLabels(createSampleMessages({ impact: unknownImpact }).recovered)).not.toContain('Impact')
    }
  })
})

describe('the message about a website without visits', () => {
  const sample = {
    friendlyName: 'example.com',
    url: 'https://example.com/',
    type: 'traffic',
    detail: 'No visits, although the home page responds',
    detectedAfterMinutes: 42,
    minutes: 190,
    impact: { ...sampleImpact, visits_seen: 0 },
  } as const
  const silence = createSampleMessages({ ...sample, diagnosis: 'site_silent' })

  it('says that visits are missing instead of calling the website down', () => {
    expect([silence.down, silence.reminder, silence.recovered].map(({ title }) => title)).toEqual([
      'No visits: example.com',
      'Visits still missing after 2 h: example.com',
      'Visits are back after 3 h 10 min: example.com',
    ])
    for (const kind of ['down', 'reminder', 'recovered'] as const) {
      expect(silence[kind].title).toBe(`${silence[kind].alert?.state}: example.com`)
    }
  })

  it('does not call the website silent while a few visits arrive, which do not end the incident', () => {
    const { reminder } = createSampleMessages({ ...sample, impact: { ...sampleImpact, visits_seen: 9 } })
    const text = [reminder.title, ...toLines(reminder)].join('\n')
    expect(text).toContain('Visits: 9 of 151 expected')
    expect(text).not.toMatch(/silent|still no visits/i)
  })

  it('says why, since when, how many visits are usual, and what to do', () => {
    expect(toLines(silence.down)).toEqual([
      'Website: https://example.com/',
      'Cause: No visits, although the home page responds',
      'Visits missing since: 5 Jan 2026, 11:00:00 (Europe/Berlin, UTC+1)',
      'Visits missing for: 42 min',
      'Visits: 0 of 151 expected',
      'What to do: Open the website in a browser, and check that it works and loads the tracking script.',
    ])
  })

  it('says when visits came back, and how many were missed', () => {
    expect(toLines(silence.recovered).slice(2)).toEqual([
      'Visits missing since: 5 Jan 2026, 11:00:00 (Europe/Berlin, UTC+1)',
      'Visits resumed at: 5 Jan 2026, 14:10:00 (Europe/Berlin, UTC+1)',
      'Visits missing for: 3 h 10 min',
      'Impact: about 140 visits missed (95 to 190)',
    ])
  })

  it.each([
    ['snippet_missing', 'What to do: Add the tracking snippet to the pages again.'],
    ['site_down', 'What to do: Check the server and the domain of the website.'],
    ['collector', 'Visits missing for: 42 min'],
    [null, 'Visits missing for: 42 min'],
  ] as const)('ends with advice that depends on the diagnosis %s', (diagnosis, line) => {
    expect(toLines(createSampleMessages({ ...sample, impact: null, diagnosis }).down).at(-1)).toBe(line)
  })
})

describe('the message about a traffic spike', () => {
  it('says how many visits there were, how many are usual, and where they came from', () => {
    const { spike } = createSampleMessages({ friendlyName: 'example.com', url: 'https://example.com/' })
    expect(spike).toMatchObject({
      kind: 'spike',
      title: 'Traffic spike: example.com',
      text: '312 visits in the last hour, 40 expected. Most came from news.ycombinator.com (250).',
    })
    expect(toLines(spike)).toEqual(['Website: https://example.com/'])
  })
})

const since = new Date('2026-01-05T10:00:00.000Z')
const shop = { friendlyName: 'Shop', url: 'https://example.com/' }
const incident = { ...shop, type: 'http' as const, detail: 'Status 503, expected 200–399', since }

describe('the title and text of an alert', () => {
  it('say what is down, why and since when', () => {
    expect(formatDownAlert(incident)).toEqual({
      title: 'Down: Shop',
      body: 'https://example.com/\nCause: Status 503, expected 200–399.\nDown since 2026-01-05 10:00:00 UTC.',
    })
  })

  it('say what is back up, and how long it was down', () => {
    expect(formatRecoveryAlert({ ...incident, now: new Date('2026-01-05T10:05:12.900Z') })).toEqual({
      title: 'Recovered after 5 min 12 s: Shop',
      body: [
        'https://example.com/',
        'Cause of the outage: Status 503, expected 200–399.',
        'Down from 2026-01-05 10:00:00 UTC to 2026-01-05 10:05:12 UTC.',
      ].join('\n'),
    })
  })

  it('remind of a monitor that is still down', () => {
    expect(formatReminder({ ...incident, now: new Date('2026-01-05T12:00:00.000Z') })).toEqual({
      title: 'Still down after 2 h: Shop',
      body: 'https://example.com/\nCause: Status 503, expected 200–399.\nDown for 2 h, since 2026-01-05 10:00:00 UTC.',
    })
  })

  it('say that visits are missing if a website has no visits', () => {
    const silence = { ...incident, type: 'traffic' as const, detail: 'No visits for 42 minutes' }
    const now = new Date('2026-01-05T12:00:00.000Z')
    expect(formatDownAlert(silence)).toEqual({
      title: 'No visits: Shop',
      body: 'https://example.com/\nCause: No visits for 42 minutes.\nNo visits since 2026-01-05 10:00:00 UTC.',
    })
    expect(formatReminder({ ...silence, now }).title).toBe('Visits still missing after 2 h: Shop')
    expect(formatRecoveryAlert({ ...silence, now }).title).toBe('Visits are back after 2 h: Shop')
  })

  it.each([
    ['2026-01-19T09:59:00.000Z', 'Certificate expires in 14 days: Shop', 'Expires on'],
    ['2026-01-12T10:00:00.000Z', 'Certificate expires in 7 days: Shop', 'Expires on'],
    ['2026-01-05T23:00:00.000Z', 'Certificate expires within a day: Shop', 'Expires on'],
    ['2026-01-05T10:00:00.000Z', 'Certificate has expired: Shop', 'Expired on'],
  ])('about a certificate that is valid until %s begin with: %s', (end, title, expiry) => {
    expect(formatExpiryAlert({ ...shop, type: 'tls', expiresAt: new Date(end), now: since })).toEqual({
      title,
      body: `https://example.com/\n${expiry} ${end.replace('T', ' ').replace('.000Z', ' UTC')}.`,
    })
  })

  it('mention the domain instead of a certificate if a domain expires', () => {
    const domain = { friendlyName: 'Example', url: 'example.com', type: 'domain' } as const
    expect(formatExpiryAlert({ ...domain, expiresAt: new Date('2026-02-04T10:00:00Z'), now: since })).toEqual({
      title: 'Domain expires in 30 days: Example',
      body: 'example.com\nExpires on 2026-02-04 10:00:00 UTC.',
    })
  })

  it('shorten long URLs and causes, and remove their line breaks', () => {
    const url = `https://example.com/${'x'.repeat(2_000)}`
    const { body } = formatDownAlert({ ...incident, url, detail: 'a\r\n\tb\0c' })
    const [firstLine = '', cause] = body.split('\n')
    expect([firstLine.length, firstLine.at(-1), cause]).toEqual([301, '…', 'Cause: a b c.'])
    expect(formatDownAlert({ ...incident, detail: 'x'.repeat(9_000) }).body.length).toBeLessThan(600)
  })
})

it('parseExpiryOccurrence returns the expiry date that formatExpiryOccurrence has written', () => {
  expect(parseExpiryOccurrence(formatExpiryOccurrence(since, 14))).toEqual(since)
  for (const occurrence of ['', '1', 'soon 14']) expect(parseExpiryOccurrence(occurrence)).toBeUndefined()
})
