import { describe, expect, it } from 'vitest'
import { redact } from './redact.ts'

const webhook = 'https://hooks.example.com/services/T01ABCDEF/B02GHIJKL/s3cr3tPath'
const token = '123456:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw'
const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('what somebody else said', () => {
  it.each([
    ['a webhook', webhook, `nothing at ${webhook}`, 'nothing at https://hooks.example.com…'],
    ['its path', webhook, 'nothing at /services/T01ABCDEF/B02GHIJKL/s3cr3tPath', 'nothing at …'],
    ['its last part', webhook, 'no hook s3cr3tPath', 'no hook …'],
    ['a part of its last part', webhook, 'no hook s3cr3tPa', 'no hook …'],
    ['it in small letters', webhook, 'no /services/t01abcdef/b02ghijkl/s3cr3tpath', 'no …'],
    ['it in a URL', webhook, `?hook=${encodeURIComponent(webhook)}`, '?hook=https%3A%2F%2Fhooks.example.com…'],
    ['it in a URL in small letters', webhook, '?at=%2fservices%2ft01abcdef%2fb02ghijkl', '?at=…'],
    ['it in base64', webhook, `Basic ${base64(`x${new URL(webhook).pathname}`)}`, /^Basic .{0,4}….{0,4}$/],
    ['a token', token, `nothing at /bot${token}/sendMessage`, 'nothing at /bot…/sendMessage'],
    ['half a token', token, `nothing at /bot${token.slice(0, 20)}`, 'nothing at /bot…'],
    ['it encoded, decoded', 'a%20b%22secretword', 'wrong: a b"secretword', 'wrong: …'],
    ['it half encoded', 'été-secret-é', 'wrong: %C3%A9t%C3%A9-secret-é', /^wrong: [^s]*…[^s]*$/],
    ['a part of a JWT', 'eyJhbGciOi.eyJzdWIiOiIx.c2lnbmF0dXJl', 'bad claims eyJzdWIiOiIx', 'bad claims …'],
    ['it with its spaces gone', 'pass  word', 'wrong: pass word', 'wrong: …'],
    ['it in JSON', 'pa"ss\\word1', 'wrong: {"password": "pa\\"ss\\\\word1"}', 'wrong: {"password": "…"}'],
    ['a short piece with a digit', 'https://h.example/h/abc12?key=k9x7z', 'abc12 and k9x7z', '… and …'],
    ['a short password', 'hush', 'wrong: hush', 'wrong: …'],
    ['it in hex', 'smsT0kenOf', `digest ${Buffer.from('smsT0kenOf').toString('hex')}`, 'digest …'],
  ])('is repeated without %s', (_what, secret, said, repeated) => {
    if (typeof repeated === 'string') expect(redact(said, [secret])).toBe(repeated)
    else expect(redact(said, [secret])).toMatch(repeated)
  })

  it.each([
    ['no_service', webhook],
    ['the service at hooks.example.com is down', webhook],
    ['authentication failed', 'a'],
    ['no user on this host', 'no:user:on:a:host'],
    ['password, bypass and compass', 'pass'],
    ['İstanbul', 'stan'.slice(0, 3)],
    ['ok', ''],
  ])('"%s" is repeated as it is beside %s', (said, secret) => {
    expect(redact(said, [secret])).toBe(said)
  })

  it('is repeated without a name as a whole, and with what the name shares with others', () => {
    const said = '550 <ops@example.com> is unknown to belfry@example.com'
    expect(redact(said, [], ['belfry@example.com'])).toBe('550 <ops@example.com> is unknown to …')
  })

  it('takes no long time', () => {
    const from = performance.now()
    redact('x/'.repeat(2_048), [`https://h.example/${'x1/'.repeat(670)}`])
    expect(performance.now() - from).toBeLessThan(500)
  })
})
