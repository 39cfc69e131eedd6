import isoCountries from 'i18n-iso-countries'
import { describe, expect, it } from 'vitest'
import { sourceHosts } from '../../src/shared/traffic-sources.ts'
import { renderIconFiles } from '../build/icon-files.ts'
import { channelLogos } from './channel-logos.ts'
import { toLogoFile } from './logos.ts'
import { browserLogos, osLogos, sourceLogos } from './value-icon-table.ts'
import { chooseValueIcon, findReferrerSource } from './value-icons.ts'

const file = (path: string, isMonochrome = false) => ({ kind: 'file', path, isMonochrome })

describe('the icon of a value', () => {
  it.each([
    ['country', 'DE', file('flags/de.svg')],
    ['region', 'US-CA', file('flags/us.svg')],
    ['region', 'Bavaria, DE', file('flags/de.svg')],
    ['city', 'München, DE', file('flags/de.svg')],
    ['country', 'Unknown', { kind: 'monogram' }],
    ['browser', 'Chrome', file('logos/chrome.svg')],
    ['browser', 'Pale Moon', { kind: 'monogram' }],
    ['os', 'macOS', file('logos/apple.svg', true)],
    ['os', 'Windows', file('logos/microsoft-windows-icon.svg')],
    ['device', 'tablet', { kind: 'device', name: 'tablet' }],
    ['source', 'Direct', { kind: 'origin', name: 'Direct' }],
    ['source', 'Hacker News', file('logos/ycombinator.svg')],
    ['source', 'example.org', { kind: 'monogram' }],
    ['source', 'constructor', { kind: 'monogram' }],
    ['referrer', 'github.com/example/lantern', file('logos/github.svg', true)],
    ['referrer', 'example.org/reviews', { kind: 'monogram' }],
    ['page', '/pricing', undefined],
    ['event', 'Signup', undefined],
  ] as const)('of the %s “%s” is %j', (panel, value, expected) => {
    expect(chooseValueIcon(panel, value)).toEqual(expected)
  })

  it('recognizes the source of a referrer by its most specific host', () => {
    expect(findReferrerSource('google.co.uk')).toBe('Google')
    expect(findReferrerSource('maps.google.com/place')).toBe('Google Maps')
    expect(findReferrerSource('old.reddit.com/r/selfhosted')).toBe('Reddit')
    expect(findReferrerSource('google.example.org')).toBeUndefined()
    expect(findReferrerSource('notgoogle.com')).toBeUndefined()
    expect(findReferrerSource('android-app://com.slack')).toBeUndefined()
  })
})

describe('the icon files', () => {
  const files = renderIconFiles()

  it('have a flag for every country', () => {
    const countries = Object.keys(isoCountries.getAlpha2Codes())
    expect(countries.length).toBeGreaterThan(230)
    expect(countries.filter((code) => !files.has(`flags/${code.toLowerCase()}.svg`))).toEqual([])
  })

  it('have every logo of the tables', () => {
    const tables = { browser: browserLogos, os: osLogos, source: sourceLogos } as const
    for (const panel of ['browser', 'os', 'source'] as const) {
      for (const value of Object.keys(tables[panel])) {
        const chosenIcon = chooseValueIcon(panel, value)
        expect(chosenIcon, value).toMatchObject({ kind: 'file' })
        expect(files.has((chosenIcon as { path: string }).path), value).toBe(true)
      }
    }
  })

  it('have every logo of a notification channel', () => {
    for (const entry of Object.values(channelLogos)) expect(files.has(toLogoFile(entry).path), entry).toBe(true)
  })

  it('have logos only for sources that the collector knows', () => {
    expect(Object.keys(sourceLogos).filter((name) => !(name in sourceHosts))).toEqual([])
  })

  it('contain no scripts, no links and nothing from other servers', () => {
    for (const [path, text] of files) {
      expect(text, path).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox=/)
      expect(text.replace('xmlns="http://www.w3.org/2000/svg"', ''), path).not.toMatch(
        /<script|<a\b|\bon\w+=|https?:|<image/i,
      )
    }
  })
})
