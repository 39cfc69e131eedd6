import { beforeAll, describe, expect, it } from 'vitest'
import { loadUserAgentParser, type ParseUserAgent, type UserAgentDetails } from './user-agent.ts'

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const ios = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const windows = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/126.0.0.0 Safari/537.36`
const android = (device: string, rest: string) => `Mozilla/5.0 (Linux; Android 13; ${device}) ${webkit} ${rest}`
const phone = 'Chrome/126.0.0.0 Mobile Safari/537.36'
const firefox = (system: string) => `Mozilla/5.0 (${system}; rv:127.0) Gecko/20100101 Firefox/127.0`

describe('a user agent', () => {
  let parse: ParseUserAgent
  beforeAll(async () => {
    parse = await loadUserAgentParser()
  })
  const summarize = ({ browser = '?', os = '?', device = '?' }: UserAgentDetails) => `${browser}, ${os}, ${device}`

  it.each([
    [windows, 'Chrome, Windows, desktop'],
    [`${windows} Edg/126.0.0.0`, 'Edge, Windows, desktop'],
    [`${windows} OPR/111.0.0.0`, 'Opera, Windows, desktop'],
    [`${windows} Vivaldi/6.7`, 'Vivaldi, Windows, desktop'],
    ['Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko', 'Internet Explorer, Windows, desktop'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
      'Safari, macOS, desktop',
    ],
    [firefox('X11; Ubuntu; Linux x86_64'), 'Firefox, GNU/Linux, desktop'],
    [firefox('X11; FreeBSD amd64'), 'Firefox, BSD, desktop'],
    [firefox('Android 14; Mobile'), 'Firefox, Android, mobile'],
    [firefox('Android 14; Tablet'), 'Firefox, Android, tablet'],
    [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/126.0.0.0 Safari/537.36`, 'Chrome, ChromeOS, desktop'],
    [`${ios} Version/17.5 Mobile/15E148 Safari/604.1`, 'Safari, iOS, mobile'],
    [`${ios} CriOS/126.0.6478.35 Mobile/15E148 Safari/604.1`, 'Chrome, iOS, mobile'],
    [`${ios} FxiOS/127.0 Mobile/15E148 Safari/605.1.15`, 'Firefox, iOS, mobile'],
    [`${ios} Version/17.5 EdgiOS/126 Mobile/15E148 Safari/605.1.15`, 'Edge, iOS, mobile'],
    [`${ios} GSA/319.0 Mobile/15E148 Safari/604.1`, 'Google App, iOS, mobile'],
    [`${ios} Mobile/15E148 Instagram 334.0.4.32.98 (iPhone14,5; iOS 17_5; de_DE)`, 'Safari, iOS, mobile'],
    [`${ios} Mobile/15E148 Safari/604.1 YJApp-IOS jp.co.yahoo.ipn.appli/4.131.0`, 'Safari, iOS, mobile'],
    [ios.replace('iPhone; CPU iPhone', 'iPad; CPU'), 'Safari, iOS, tablet'],
    [android('K', phone), 'Chrome, Android, mobile'],
    [android('K', 'Chrome/126.0.0.0 Safari/537.36'), 'Chrome, Android, tablet'],
    [android('HUAWEI MatePad', 'Chrome/126.0.0.0 Safari/537.36'), 'Chrome, Android, tablet'],
    [android('SM-S918B', `SamsungBrowser/25.0 ${phone}`), 'Samsung Internet, Android, mobile'],
    [android('2201117TG; wv', `${phone} XiaoMi/MiuiBrowser/14`), 'Mi Browser, Android, mobile'],
    [android('BRAVIA 4K', 'Chrome/120.0.0.0 Safari/537.36'), 'Chrome, Android, tv'],
    [android('AFTMM Build/PS7633; wv', `Version/4.0 ${phone}`), 'Chrome, Android, tv'],
    [`Mozilla/5.0 (SMART-TV; LINUX; Tizen 6.0) ${webkit} 76.0/6.0 TV Safari/537.36`, 'Tizen Browser, Tizen, tv'],
    [`Mozilla/5.0 (Web0S; Linux/SmartTV) ${webkit} Chrome/79.0 Safari/537.36`, 'webOS Browser, webOS, tv'],
    [
      'Mozilla/5.0 (PlayStation; PlayStation 5/2.26) AppleWebKit/605.1.15 Version/13.0 Safari/605.1.15',
      'Safari, PlayStation, console',
    ],
    [windows.replace('x64)', 'x64; Xbox; Xbox Series X)'), 'Chrome, Xbox, console'],
    ['Mozilla/5.0 (Mobile; Nokia_8110_4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5', 'Firefox, KaiOS, mobile'],
    [
      `Mozilla/5.0 (Phone; OpenHarmony 5.0) ${webkit} Chrome/114.0.0.0 Safari/537.36 Mobile`,
      'Chrome, HarmonyOS, mobile',
    ],
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'Googlebot, ?, ?'],
    ['Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)', 'YahooSlurp, ?, ?'],
  ])('%s is parsed as: %s', (userAgent, expected) => {
    expect(summarize(parse(userAgent))).toBe(expected)
    expect(parse(userAgent)).toBe(parse(userAgent))
  })

  it.each(['', ' ', '-', 'curl/8.5.0', 'Foo/1.0 something', '__proto__/1.0 x', 'yahoo', '\ud800', 'x'.repeat(100_000)])(
    'that names nothing known (%.30j) has no details',
    (userAgent) => {
      expect(parse(userAgent)).toEqual({})
    },
  )

  it('is truncated to 1,000 characters', () => {
    const longUserAgent = `${windows} ${'x'.repeat(100_000)} Edg/126.0`
    expect(summarize(parse(longUserAgent))).toBe('Chrome, Windows, desktop')
  })
})
