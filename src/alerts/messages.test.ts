import { describe, expect, it } from 'vitest'
import { certificateMessage, downMessage, recoveredMessage, reminderMessage } from './messages.ts'

const since = new Date('2026-01-05T10:00:00.000Z')
const shop = { friendlyName: 'Shop', url: 'https://example.com/' }
const outage = { ...shop, detail: 'answered 503, expected 200-399', since }

describe('messages', () => {
  it('say what is down, why and since when', () => {
    expect(downMessage(outage)).toEqual({
      title: 'Shop is down',
      body: 'https://example.com/\nCause: answered 503, expected 200-399.\nDown since 2026-01-05 10:00:00 UTC.',
    })
  })

  it('say what is up again, and how long it was not', () => {
    expect(recoveredMessage({ ...outage, now: new Date('2026-01-05T10:05:12.900Z') })).toEqual({
      title: 'Shop is up again',
      body: 'https://example.com/\nIt was down for 5 min 12 s, since 2026-01-05 10:00:00 UTC: answered 503, expected 200-399.',
    })
  })

  it('remind of what is still down', () => {
    expect(reminderMessage({ ...outage, now: new Date('2026-01-05T12:00:00.000Z') })).toEqual({
      title: 'Shop is still down',
      body: 'https://example.com/\nCause: answered 503, expected 200-399.\nDown for 2 h, since 2026-01-05 10:00:00 UTC.',
    })
  })

  it.each([
    ['2026-01-19T09:59:00.000Z', 'The certificate of Shop expires in 14 days', 'It is valid until'],
    ['2026-01-12T10:00:00.000Z', 'The certificate of Shop expires in 7 days', 'It is valid until'],
    ['2026-01-05T23:00:00.000Z', 'The certificate of Shop expires within a day', 'It is valid until'],
    ['2026-01-05T10:00:00.000Z', 'The certificate of Shop has expired', 'It was valid until'],
  ])('of a certificate that ends at %s say: %s', (end, title, validity) => {
    const { title: said, body } = certificateMessage({ ...shop, expiresAt: new Date(end), now: since })
    expect([said, body]).toEqual([
      title,
      `https://example.com/\n${validity} ${end.replace('T', ' ').replace('.000Z', ' UTC')}.`,
    ])
  })

  it('keep the cause in sight behind a long address, and their own lines apart from the words of others', () => {
    const { body } = downMessage({ ...outage, url: `https://example.com/${'x'.repeat(2_000)}`, detail: 'a\r\n\tb\0c' })
    const [url = '', cause] = body.split('\n')
    expect([url.length, url.at(-1), cause]).toEqual([301, '…', 'Cause: a b c.'])
    expect(downMessage({ ...outage, detail: 'x'.repeat(9_000) }).body.length).toBeLessThan(600)
  })
})
