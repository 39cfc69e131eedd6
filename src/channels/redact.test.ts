import { describe, expect, it } from 'vitest'
import { measureCpuMs } from '../../tests/support/cpu-time.ts'
import { redact } from './redact.ts'

const webhook = 'https://hooks.example.com/services/T01ABCDEF/B02GHIJKL/s3cr3tPath'
const token = '123456:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw'
const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('a redacted response', () => {
  it.each([
    ['a webhook', webhook, `nothing at ${webhook}`, 'nothing at https://hooks.example.com…'],
    ['the path of a webhook', webhook, 'nothing at /services/T01ABCDEF/B02GHIJKL/s3cr3tPath', 'nothing at …'],
    ['the last part of a webhook', webhook, 'no hook s3cr3tPath', 'no hook …'],
    ['half of the last part of a webhook', webhook, 'no hook s3cr3tPa', 'no hook …'],
    ['the path of a webhook in lower case', webhook, 'no /services/t01abcdef/b02ghijkl/s3cr3tpath', 'no …'],
    [
      'a webhook as a URL parameter',
      webhook,
      `?hook=${encodeURIComponent(webhook)}`,
      '?hook=https%3A%2F%2Fhooks.example.com…',
    ],
    ['a webhook as a URL parameter in lower case', webhook, '?at=%2fservices%2ft01abcdef%2fb02ghijkl', '?at=…'],
    [
      'the path of a webhook in base64',
      webhook,
      `Basic ${base64(`x${new URL(webhook).pathname}`)}`,
      /^Basic .{0,4}….{0,4}$/,
    ],
    ['a token', token, `nothing at /bot${token}/sendMessage`, 'nothing at /bot…/sendMessage'],
    ['half a token', token, `nothing at /bot${token.slice(0, 20)}`, 'nothing at /bot…'],
    ['the decoded form of a percent-encoded secret', 'a%20b%22secretword', 'wrong: a b"secretword', 'wrong: …'],
    ['a partly encoded secret', 'été-secret-é', 'wrong: %C3%A9t%C3%A9-secret-é', /^wrong: [^s]*…[^s]*$/],
    ['a part of a JWT', 'eyJhbGciOi.eyJzdWIiOiIx.c2lnbmF0dXJl', 'bad claims eyJzdWIiOiIx', 'bad claims …'],
    ['a secret in which double spaces became single ones', 'pass  word', 'wrong: pass word', 'wrong: …'],
    ['a secret in JSON', 'pa"ss\\word1', 'wrong: {"password": "pa\\"ss\\\\word1"}', 'wrong: {"password": "…"}'],
    ['short pieces with a digit', 'https://h.example/h/abc12?key=k9x7z', 'abc12 and k9x7z', '… and …'],
    ['a short password', 'hush', 'wrong: hush', 'wrong: …'],
    ['a secret in hex', 'smsT0kenOf', `digest ${Buffer.from('smsT0kenOf').toString('hex')}`, 'digest …'],
  ])('does not contain %s', (_case, secret, response, expected) => {
    if (typeof expected === 'string') expect(redact(response, [secret])).toBe(expected)
    else expect(redact(response, [secret])).toMatch(expected)
  })

  it.each([
    ['no_service', webhook],
    ['the service at hooks.example.com is down', webhook],
    ['authentication failed', 'a'],
    ['no user on this host', 'no:user:on:a:host'],
    ['password, bypass and compass', 'pass'],
    ['İstanbul', 'stan'.slice(0, 3)],
    ['ok', ''],
  ])('keeps "%s" although %s is secret', (response, secret) => {
    expect(redact(response, [secret])).toBe(response)
  })

  it('does not contain a redacted address, but keeps other addresses of the same domain', () => {
    const response = '550 <ops@example.com> is unknown to belfry@example.com'
    expect(redact(response, [], ['belfry@example.com'])).toBe('550 <ops@example.com> is unknown to …')
  })

  it('is computed quickly, even for long texts', () => {
    const redactLongText = () => redact('x/'.repeat(2_048), [`https://h.example/${'x1/'.repeat(670)}`])
    expect(measureCpuMs(redactLongText)).toBeLessThan(500)
  })
})
