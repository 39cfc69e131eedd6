import { describe, expect, it } from 'vitest'
import { toStatusPagePaths, toStatusPageUrls } from './urls.ts'

describe('toStatusPageUrls', () => {
  it("puts everything below the server's URL, with its path prefix", () => {
    const page = { slug: 'example', customDomain: null }
    expect(toStatusPageUrls(page, 'https://stats.example.com/belfry')).toEqual({
      page: 'https://stats.example.com/belfry/status/example',
      base: 'https://stats.example.com/belfry/status/example',
      history: 'https://stats.example.com/belfry/status/example/history',
      rss: 'https://stats.example.com/belfry/status/example.rss',
      json: 'https://stats.example.com/belfry/status/example.json',
      atom: 'https://stats.example.com/belfry/status/example.atom',
      jsonFeed: 'https://stats.example.com/belfry/status/example/feed.json',
      authority: 'stats.example.com',
    })
  })

  it('prefers the custom domain, without the prefix, and keeps the ids of feed entries', () => {
    const page = { slug: 'example', customDomain: 'status.example.org' }
    expect(toStatusPageUrls(page, 'https://stats.example.com/belfry')).toMatchObject({
      page: 'https://status.example.org/',
      history: 'https://status.example.org/history',
      atom: 'https://status.example.org/status/example.atom',
      authority: 'stats.example.com',
    })
    expect(toStatusPageUrls(page, 'http://belfry.internal').page).toBe('http://status.example.org/')
  })

  it('returns paths without BELFRY_URL, even if there is a custom domain, which is not served without BELFRY_URL', () => {
    const page = { slug: 'example', customDomain: 'status.example.org' }
    expect(toStatusPageUrls(page, undefined)).toMatchObject({
      page: '/status/example',
      atom: '/status/example.atom',
      authority: undefined,
    })
  })
})

it('a page has short paths at its custom domain', () => {
  expect(toStatusPagePaths('example', '/belfry')).toEqual({
    base: '/belfry/status/example',
    page: '/belfry/status/example',
    history: '/belfry/status/example/history',
  })
  expect(toStatusPagePaths('example', undefined)).toEqual({ base: '/status/example', page: '/', history: '/history' })
})
