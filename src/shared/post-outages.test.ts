import { describe, expect, it } from 'vitest'
import { isPostAboutOutage, MAX_POST_DELAY_MS } from './post-outages.ts'
import { HOUR_MS, MINUTE_MS } from './time.ts'

const POSTED_AT = 100 * HOUR_MS
const minutes = (count: number) => POSTED_AT + count * MINUTE_MS
const hours = (count: number) => POSTED_AT + count * HOUR_MS

describe('a post', () => {
  it.each([
    { isAbout: true, startedAt: minutes(-5), resolvedAt: null, text: 'an ongoing outage' },
    { isAbout: true, startedAt: minutes(-5), resolvedAt: minutes(9), text: 'an outage during which it was published' },
    { isAbout: true, startedAt: hours(5), resolvedAt: hours(6), text: 'an outage that began while it was open' },
    { isAbout: true, startedAt: hours(-2), resolvedAt: minutes(-60), text: 'an outage that ended an hour before it' },
    { isAbout: false, startedAt: hours(-2), resolvedAt: minutes(-61), text: 'an outage that ended earlier' },
  ])('that is open is about $text: $isAbout', ({ isAbout, startedAt, resolvedAt }) => {
    const post = { monitorIds: [1, 2], createdAt: POSTED_AT, resolvedAt: null }
    expect(isPostAboutOutage(post, { monitorId: 2, startedAt, resolvedAt })).toBe(isAbout)
    expect(isPostAboutOutage(post, { monitorId: 3, startedAt, resolvedAt })).toBe(false)
  })

  it.each([
    { isAbout: true, startedAt: hours(1), text: 'was still open' },
    { isAbout: false, startedAt: hours(1) + 1, text: 'was resolved' },
  ])('that is resolved is about an outage that began when it $text: $isAbout', ({ isAbout, startedAt }) => {
    const post = { monitorIds: [1], createdAt: POSTED_AT, resolvedAt: hours(1) }
    expect(isPostAboutOutage(post, { monitorId: 1, startedAt, resolvedAt: null })).toBe(isAbout)
  })

  it('that was published as resolved looks back at the outages of a day', () => {
    const post = { monitorIds: [1], createdAt: POSTED_AT, resolvedAt: POSTED_AT }
    const outage = { monitorId: 1, startedAt: hours(-30), resolvedAt: POSTED_AT - MAX_POST_DELAY_MS }
    expect(isPostAboutOutage(post, outage)).toBe(true)
    expect(isPostAboutOutage(post, { ...outage, resolvedAt: outage.resolvedAt - 1 })).toBe(false)
  })
})
