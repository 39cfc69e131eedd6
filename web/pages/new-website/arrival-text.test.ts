import { describe, expect, it } from 'vitest'
import type { ArrivalRecord } from '../../../src/traffic/dropped/schema.ts'
import { describeArrival } from './arrival-text.ts'

const describeAs = (changes: Partial<ArrivalRecord>) => {
  const arrival: ArrivalRecord = {
    reason: 'unknown_site',
    domain: null,
    host: null,
    exclusion: null,
    suggested_domain: null,
    is_own: true,
    count: 1,
    last_at: '2026-01-05T10:00:00.000Z',
    ...changes,
  }
  const { title, detail } = describeArrival(arrival, 'example.com')
  return [title, detail]
}

describe('the text about an arrival', () => {
  it('for an unknown website names both domains, and where the snippet is', () => {
    expect(describeAs({ domain: 'shop.localhost', host: 'shop.localhost' })).toEqual([
      'We received a visit for shop.localhost, but this website is example.com',
      "The page is on shop.localhost, and shop.localhost isn't one of your websites.",
    ])
    expect(describeAs({ domain: 'exmaple.com', host: 'www.example.com', count: 2 })).toEqual([
      'We received 2 visits for exmaple.com, but this website is example.com',
      'The snippet on www.example.com has data-domain="exmaple.com".',
    ])
  })

  it('that was counted says for which website', () => {
    expect(describeAs({ reason: 'other_host', host: 'shop.localhost' })[0]).toBe(
      '1 visit from shop.localhost counted for example.com',
    )
    expect(describeAs({ reason: 'other_website', host: 'example.com', domain: 'blog.example' })[0]).toBe(
      '1 visit from example.com counted for blog.example',
    )
  })

  it('that was ignored says why', () => {
    expect(describeAs({ reason: 'bot' })[0]).toBe('1 visit ignored: bot')
    expect(describeAs({ reason: 'prefetch', count: 3 })[0]).toBe('3 visits ignored: prefetch')
    expect(describeAs({ reason: 'spam_referrer' })[0]).toBe('1 visit ignored: spam referrer')
    expect(describeAs({ reason: 'ip', exclusion: '203.0.113.0/24' })).toEqual([
      '1 visit ignored: excluded IP',
      '203.0.113.0/24 is one of your excluded IPs.',
    ])
  })
})
