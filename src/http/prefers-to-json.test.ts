import { describe, expect, it } from 'vitest'
import { prefersToJson } from './prefers-to-json.ts'

describe('an Accept header', () => {
  it.each([
    'text/html',
    'TEXT/HTML',
    'Text/Html; Charset=UTF-8',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'text/*',
    'application/json;q=0.5, text/html;q=0.6',
    'text/html, application/json',
    'application/json;q=0, */*',
  ])('%s prefers HTML to JSON', (accept) => {
    expect(prefersToJson(accept, 'text/html')).toBe(true)
  })

  it.each([
    undefined,
    '',
    '*/*',
    'application/json',
    'application/json, text/html',
    'application/json, text/html;q=0.9',
    'text/html;q=0',
    'text/html;Q=0, */*',
    'text/html;q=0.000',
    'text/htmlx',
    'image/avif,image/webp',
    'no type at all',
    `text/html,${'a/b,'.repeat(4_000)}`,
  ])('%s does not prefer HTML to JSON', (accept) => {
    expect(prefersToJson(accept, 'text/html')).toBe(false)
  })
})
