import { describe, expect, it } from 'vitest'
import { findCanonicalUrl, toStatusPageUrls } from './urls.ts'

describe('toStatusPageUrls', () => {
  it("puts everything below the server's URL, with its path prefix", () => {
    expect(
      toStatusPageUrls({ slug: 'example', customDomain: null }, 'https://stats.example.com/belfry', {
        isConfigured: true,
      }),
    ).toEqual({
      page: 'https://stats.example.com/belfry/status/example',
      base: 'https://stats.example.com/belfry/status/example',
      json: 'https://stats.example.com/belfry/status/example.json',
      atom: 'https://stats.example.com/belfry/status/example.atom',
      jsonFeed: 'https://stats.example.com/belfry/status/example/feed.json',
      authority: 'stats.example.com',
    })
  })

  it('prefers the custom domain, without the prefix, and keeps the ids of feed entries', () => {
    const page = { slug: 'example', customDomain: 'status.example.org' }
    expect(toStatusPageUrls(page, 'https://stats.example.com/belfry', { isConfigured: true })).toMatchObject({
      page: 'https://status.example.org/',
      atom: 'https://status.example.org/status/example.atom',
      authority: 'stats.example.com',
    })
    expect(toStatusPageUrls(page, 'http://10.0.0.1:3000', { isConfigured: false })).toMatchObject({
      page: 'https://status.example.org/',
      authority: 'status.example.org',
    })
    expect(toStatusPageUrls(page, 'http://belfry.internal', { isConfigured: true }).page).toBe(
      'http://status.example.org/',
    )
  })
})

describe('findCanonicalUrl', () => {
  it('is at the custom domain, else at BELFRY_URL', () => {
    const page = { slug: 'example', customDomain: 'status.example.org' }
    expect(findCanonicalUrl(page, 'https://stats.example.com/belfry')).toBe('https://status.example.org/')
    expect(findCanonicalUrl(page, undefined)).toBe('https://status.example.org/')
    const plainPage = { slug: 'example', customDomain: null }
    expect(findCanonicalUrl(plainPage, 'https://stats.example.com')).toBe('https://stats.example.com/status/example')
    expect(findCanonicalUrl(plainPage, undefined)).toBeUndefined()
  })
})
