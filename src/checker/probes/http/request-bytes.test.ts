import { describe, expect, it } from 'vitest'
import type { HttpRequest } from './redirects.ts'
import { createRequestBytes } from './request-bytes.ts'

const url = new URL('http://shop.test:8080/a%20b?q=ü#part')
const request: HttpRequest = { url, host: 'shop.test', port: 8080, method: 'GET', headers: {}, cookies: [], body: null }

function listLines(changes: Partial<HttpRequest> = {}): string[] {
  const bytes = createRequestBytes({ ...request, ...changes })
  return (typeof bytes === 'string' ? bytes : bytes.toString('latin1')).split('\r\n')
}

const defaultLines = ['User-Agent: Belfry', 'Accept: */*', 'Accept-Encoding: identity', 'Connection: close']

describe('a request', () => {
  it('has no fragment, and few headers', () => {
    expect(listLines()).toEqual(['GET /a%20b?q=%C3%BC HTTP/1.1', 'Host: shop.test:8080', ...defaultLines, '', ''])
  })

  it('has its own headers after the default ones, which they can replace', () => {
    const headers = { host: 'other.test', 'X-Token': 'sécret', 'user-agent': 'mine' }
    expect(listLines({ headers }).slice(1)).toEqual([
      ...defaultLines.slice(1),
      'host: other.test',
      'X-Token: sécret',
      'user-agent: mine',
      '',
      '',
    ])
  })

  it.each([
    ['GET', null, undefined],
    ['HEAD', null, undefined],
    ['DELETE', null, undefined],
    ['POST', null, '0'],
    ['PUT', null, '0'],
    ['PATCH', '', '0'],
    ['GET', '', '0'],
    ['DELETE', 'grüße', '7'],
  ])('%s with the body %j has its length as its last header', (method, body, length) => {
    const lines = listLines({ method, body })
    const lengthLines = length === undefined ? [] : [`Content-Length: ${length}`]
    expect(lines).toEqual([
      `${method} /a%20b?q=%C3%BC HTTP/1.1`,
      'Host: shop.test:8080',
      ...defaultLines,
      ...lengthLines,
      '',
      Buffer.from(body ?? '').toString('latin1'),
    ])
  })

  it('sends cookies that were received, instead of its own with the same name', () => {
    const cookies = [
      { name: 'b', value: '2' },
      { name: 'c', value: '3' },
    ]
    expect(listLines({ cookies })).toContain('Cookie: b=2; c=3')
    expect(listLines({ cookies, headers: { cookie: 'a=1; b=0;' } })).toContain('cookie: a=1; b=2; c=3')
  })

  it.each([
    ['X', 'a\r\nY: b'],
    ['X', 'a\0b'],
    ['X', 'ключ'],
    ['X\r\nY', 'a'],
    ['X Y', 'a'],
    ['', 'a'],
  ])('is not created with the header %j: %j', (name, value) => {
    expect(() => createRequestBytes({ ...request, headers: { [name]: value } })).toThrow(TypeError)
  })
})
