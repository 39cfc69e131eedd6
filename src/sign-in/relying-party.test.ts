import { describe, expect, it } from 'vitest'
import { getRelyingParty, supportsPasskeys } from './relying-party.ts'

describe('the relying party', () => {
  it.each([
    ['https://stats.example.com', undefined, 'stats.example.com'],
    ['https://stats.example.com:8443', 'https://stats.example.com:8443', 'stats.example.com'],
    ['http://localhost:3000', undefined, 'localhost'],
    ['http://belfry.localhost:3000', 'http://belfry.localhost:3000', 'belfry.localhost'],
  ])('of %s, opened at %s, is %s', (pageOrigin, browserOrigin, id) => {
    expect(getRelyingParty(pageOrigin, browserOrigin)).toEqual({ id, origin: pageOrigin })
    expect(supportsPasskeys(pageOrigin, browserOrigin)).toBe(true)
  })

  it.each([
    ['http://192.0.2.7:3000', undefined, "Passkeys don't work at an IP address (192.0.2.7)."],
    ['https://[2001:db8::7]', undefined, "Passkeys don't work at an IP address ([2001:db8::7])."],
    ['http://stats.example.com', undefined, 'Passkeys need https. Open Belfry at https://stats.example.com.'],
    ['http://notlocalhost:3000', undefined, 'Passkeys need https.'],
    ['https://stats.example.com', 'http://localhost:3000', 'Passkeys work only at https://stats.example.com.'],
  ])('does not exist for %s, opened at %s: %s', (pageOrigin, browserOrigin, message) => {
    expect(() => getRelyingParty(pageOrigin, browserOrigin)).toThrow(message)
    expect(supportsPasskeys(pageOrigin, browserOrigin)).toBe(false)
  })
})
