import { describe, expect, it } from 'vitest'
import { redact } from './redact.ts'

const webhook = 'https://hooks.example.com/services/T0123/B4567/s3cr3tPath'
const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('what somebody else said', () => {
  it.each([
    ['the whole', `nothing at ${webhook}`, 'nothing at …'],
    ['its path', 'nothing at /services/T0123/B4567/s3cr3tPath', 'nothing at …'],
    ['its last part', 'no hook s3cr3tPath', 'no hook …'],
    ['it in a URL', `?hook=${encodeURIComponent(webhook)}`, '?hook=…'],
    ['it in base64', `Basic ${base64(webhook)}`, 'Basic …'],
    ['nothing', 'invalid_payload', 'invalid_payload'],
  ])('is repeated without %s', (_what, said, repeated) => {
    expect(redact(said, [webhook])).toBe(repeated)
  })

  it('is repeated without a short password, and with words that are parts of one', () => {
    expect(redact('wrong: hush', ['hush'])).toBe('wrong: …')
    expect(redact('no user on this host', ['no:user:on:a:host'])).toBe('no user on this host')
  })

  it('is repeated as it is where there are no secrets', () => {
    expect(redact('ok', ['', ''])).toBe('ok')
  })
})
