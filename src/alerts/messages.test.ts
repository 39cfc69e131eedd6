import { describe, expect, it } from 'vitest'
import {
  formatCertificateAlert,
  formatCertificateOccurrence,
  formatDownAlert,
  formatRecoveryAlert,
  formatReminder,
  parseCertificateOccurrence,
} from './messages.ts'

const since = new Date('2026-01-05T10:00:00.000Z')
const shop = { friendlyName: 'Shop', url: 'https://example.com/' }
const incident = { ...shop, type: 'http' as const, detail: 'Status 503, expected 200–399', since }

describe('an alert', () => {
  it('says what is down, why and since when', () => {
    expect(formatDownAlert(incident)).toEqual({
      title: 'Down: Shop',
      body: 'https://example.com/\nCause: Status 503, expected 200–399.\nDown since 2026-01-05 10:00:00 UTC.',
    })
  })

  it('says what is back up, and how long it was down', () => {
    expect(formatRecoveryAlert({ ...incident, now: new Date('2026-01-05T10:05:12.900Z') })).toEqual({
      title: 'Recovered after 5 min 12 s: Shop',
      body: [
        'https://example.com/',
        'Cause of the outage: Status 503, expected 200–399.',
        'Down from 2026-01-05 10:00:00 UTC to 2026-01-05 10:05:12 UTC.',
      ].join('\n'),
    })
  })

  it('reminds of a monitor that is still down', () => {
    expect(formatReminder({ ...incident, now: new Date('2026-01-05T12:00:00.000Z') })).toEqual({
      title: 'Still down after 2 h: Shop',
      body: 'https://example.com/\nCause: Status 503, expected 200–399.\nDown for 2 h, since 2026-01-05 10:00:00 UTC.',
    })
  })

  it('about a website without visits says so', () => {
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
  ])('for a certificate that is valid until %s says: %s', (end, title, expiry) => {
    expect(formatCertificateAlert({ ...shop, type: 'tls', expiresAt: new Date(end), now: since })).toEqual({
      title,
      body: `https://example.com/\n${expiry} ${end.replace('T', ' ').replace('.000Z', ' UTC')}.`,
    })
  })

  it('for a domain speaks of the domain', () => {
    const domain = { friendlyName: 'Example', url: 'example.com', type: 'domain' } as const
    expect(formatCertificateAlert({ ...domain, expiresAt: new Date('2026-02-04T10:00:00Z'), now: since })).toEqual({
      title: 'Domain expires in 30 days: Example',
      body: 'example.com\nExpires on 2026-02-04 10:00:00 UTC.',
    })
  })

  it('shortens long URLs and causes, and removes their line breaks', () => {
    const url = `https://example.com/${'x'.repeat(2_000)}`
    const { body } = formatDownAlert({ ...incident, url, detail: 'a\r\n\tb\0c' })
    const [firstLine = '', cause] = body.split('\n')
    expect([firstLine.length, firstLine.at(-1), cause]).toEqual([301, '…', 'Cause: a b c.'])
    expect(formatDownAlert({ ...incident, detail: 'x'.repeat(9_000) }).body.length).toBeLessThan(600)
  })

  it('about a certificate has an occurrence that contains the expiry', () => {
    expect(parseCertificateOccurrence(formatCertificateOccurrence(since, 14))).toEqual(since)
    for (const occurrence of ['', '1', 'soon 14']) expect(parseCertificateOccurrence(occurrence)).toBeUndefined()
  })
})
