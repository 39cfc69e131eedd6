import { describe, expect, it } from 'vitest'
import { createSampleMessages } from '../../tests/support/sample-messages.ts'
import { markers } from '../providers/markers.ts'

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

  it('reminds with the current duration', () => {
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

  it('links to the incident and the monitor, or to the monitor if there is no incident', () => {
    const monitorLink = { label: 'View monitor', url: 'https://stats.example.org/monitors/3' }
    const incidentLink = { label: 'View incident', url: 'https://stats.example.org/monitors/3?incident=5' }
    expect(messages.down.links).toEqual([incidentLink, monitorLink])
    expect(messages.certificate.links).toEqual([monitorLink])
    expect(createSampleMessages({ baseUrl: undefined }).down.links).toEqual([])
  })

  it('has a title that starts with the word of its marker and ends with the name', () => {
    for (const kind of ['down', 'recovered', 'reminder', 'certificate'] as const) {
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
