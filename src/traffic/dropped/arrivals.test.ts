import { describe, expect, it } from 'vitest'
import type { WebsiteDropReason } from '../model/drop-reasons.ts'
import { type Arrival, attributeArrivals, chooseArrivals } from './arrivals.ts'
import type { MissingVisitReason } from './schema.ts'

const ada = { id: 1, teamId: 10 }
const adasBlog = { id: 2, teamId: 10 }
const eve = { id: 3, teamId: 20 }
const byDomain = new Map([
  ['example.com', ada],
  ['blog.example.org', adasBlog],
  ['eve.example', eve],
])
const waitingWebsites = [{ ...ada, address: 'ada' }]

const createArrival = (changes: Partial<Arrival>): Arrival => ({
  dropReason: 'unknown_site',
  website: undefined,
  domain: 'shop.localhost',
  host: 'shop.localhost',
  address: 'ada',
  exclusion: '',
  count: 1,
  ...changes,
})
const attribute = (changes: Partial<Arrival>, awaitedWebsites = waitingWebsites) =>
  attributeArrivals([createArrival(changes)], awaitedWebsites, byDomain).map(
    ({ websiteId, reason, domain, host, isOwn }) => [websiteId, reason, domain, host, isOwn],
  )

describe('an event for an unknown website', () => {
  it('is shown to a user who waits for a first visit at the same IP address, whatever domain the event names', () => {
    expect(attribute({})).toEqual([[1, 'unknown_site', 'shop.localhost', 'shop.localhost', true]])
    expect(attribute({ domain: 'https://example.com' })).toHaveLength(1)
  })

  it('is shown to the owner of the page that sent it, from any IP address, if it names a valid domain', () => {
    expect(attribute({ host: 'www.example.com', address: 'other' })).toEqual([
      [1, 'unknown_site', 'shop.localhost', 'www.example.com', false],
    ])
    expect(attribute({ host: 'www.example.com', address: 'other', domain: '<b>hello' })).toEqual([])
  })

  it('is not shown to anyone else', () => {
    expect(attribute({ address: 'other' })).toEqual([])
    expect(attribute({ host: 'notexample.com', address: 'other' })).toEqual([])
    expect(attribute({}, [])).toEqual([])
  })

  it('is not shown if its page belongs to another user, not even at the same IP address', () => {
    expect(attribute({ host: 'www.eve.example' })).toEqual([])
    expect(attribute({ host: 'blog.example.org' })).toHaveLength(1)
  })
})

describe('an event for a known website', () => {
  it.each<WebsiteDropReason>(['bot', 'prefetch', 'spam_referrer', 'ip'])(
    'that is dropped as %s names neither host nor domain',
    (dropReason) => {
      expect(attribute({ dropReason, website: ada, address: 'other' })).toEqual([[1, dropReason, '', '', false]])
    },
  )

  it('is shown with the host of its page if that is another host', () => {
    expect(attribute({ dropReason: undefined, website: ada, domain: 'example.com' })).toEqual([
      [1, 'other_host', '', 'shop.localhost', true],
    ])
  })

  it('is shown with both domains if its page belongs to another website of the same owner', () => {
    const countedArrival = { dropReason: undefined, website: adasBlog, domain: 'blog.example.org', host: 'example.com' }
    expect(attribute(countedArrival)).toEqual([[1, 'other_website', 'blog.example.org', 'example.com', true]])
    expect(attribute({ ...countedArrival, website: eve, domain: 'eve.example' })).toEqual([])
  })

  it('of another user is shown to nobody', () => {
    for (const dropReason of ['bot', 'ip', undefined] as const) {
      expect(attribute({ dropReason, website: eve, domain: 'eve.example', host: 'other.example' })).toEqual([])
    }
  })
})

describe('arrivals', () => {
  it('from several IP addresses are counted together', () => {
    const arrivals = ['ada', 'other', 'third'].map((address, n) =>
      createArrival({ dropReason: 'bot', website: ada, address, count: n + 1 }),
    )
    expect(attributeArrivals(arrivals, waitingWebsites, byDomain)).toMatchObject([
      { reason: 'bot', count: 6, isOwn: true },
    ])
  })

  const createRow = (reason: MissingVisitReason, domain: string | null, is_own = false) => ({
    reason,
    domain,
    host: 'example.com',
    exclusion: null,
    is_own,
    count: 1,
    last_at: '2026-01-05T10:00:00.000Z',
  })

  it('of other people name at most two unknown domains', () => {
    const otherRows = ['a.example', 'b.example', 'c.example'].map((domain) => createRow('unknown_site', domain))
    expect(chooseArrivals([...otherRows, createRow('bot', null)]).map(({ domain }) => domain)).toEqual([
      'a.example',
      'b.example',
      null,
    ])
  })

  it('are limited to five', () => {
    const ownRows = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => createRow('unknown_site', `${name}.example`, true))
    expect(chooseArrivals(ownRows)).toHaveLength(5)
  })

  it('suggest a website to add if its domain is valid', () => {
    const suggestDomain = (reason: MissingVisitReason, domain: string | null) =>
      chooseArrivals([createRow(reason, domain, true)])[0]?.suggested_domain
    expect(suggestDomain('unknown_site', 'www.shop.example')).toBe('shop.example')
    expect(suggestDomain('unknown_site', 'https://shop.example/start')).toBe('shop.example')
    expect(suggestDomain('unknown_site', 'undefined')).toBe(null)
    expect(suggestDomain('other_host', null)).toBe('example.com')
    expect(suggestDomain('other_website', 'blog.example.org')).toBe(null)
    expect(suggestDomain('bot', null)).toBe(null)
  })
})
