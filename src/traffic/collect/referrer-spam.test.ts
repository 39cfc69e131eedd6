import { describe, expect, it } from 'vitest'
import { loadSpamReferrers } from './referrer-spam.ts'

describe('isSpamReferrer', async () => {
  const isSpamReferrer = await loadSpamReferrers()

  it.each(['1-best-seo.com', 'semalt.com', 'keywords.semalt.com', 'a.b.darodar.com', 'qiwi.xyz', 'zvuker.net'])(
    '%s is spam',
    (host) => {
      expect(isSpamReferrer(host)).toBe(true)
    },
  )

  it.each(['example.org', 'notsemalt.com', 'semalt.com.example.org', 'google.com', 'com', 'localhost', '', '::1'])(
    '%j is not spam',
    (host) => {
      expect(isSpamReferrer(host)).toBe(false)
    },
  )
})
