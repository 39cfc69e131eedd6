/**
 * Parses the user agent's browser, operating system and device. Omits versions, which would split each browser into
 * many rows of the statistics.
 */
import { BoundedMap } from '../../../lib/bounded-map.ts'

export interface UserAgentDetails {
  browser?: string
  os?: string
  device?: string
}

export type ParseUserAgent = (userAgent: string) => UserAgentDetails

/**
 * Loads bowser, which needs about 20 µs for a user agent that is not in the cache. `EventIntake` calls this when the first
 * event arrives.
 */
export async function loadUserAgentParser(): Promise<ParseUserAgent> {
  const { getParser } = await import('bowser')
  return cacheByUserAgent((userAgent) => {
    // bowser treats every mention of Yahoo as a crawler, even the news app of Yahoo Japan. It rejects an empty string.
    const parser = getParser(userAgent.replace(/yahoo(?!! slurp)/gi, '') || '-', true)
    const override = userAgentOverrides.find(([pattern]) => pattern.test(userAgent))?.[1]
    const os = override?.os ?? osNames.get(parser.getOSName())
    return omitUndefined({
      browser: browserNames.get(parser.getBrowserName()),
      os,
      device: override?.device ?? classifyDevice(parser.getPlatformType(), os, userAgent),
    })
  })
}

const devices = new Set(['desktop', 'mobile', 'tablet', 'tv'])

function classifyDevice(platform: string, os: string | undefined, userAgent: string): string | undefined {
  // bowser treats every device of some manufacturers as a phone. Android phones send "Mobile", and tablets don't.
  if (os === 'Android' && platform === 'mobile' && !/mobi/i.test(userAgent)) return 'tablet'
  return devices.has(platform) ? platform : undefined
}

function omitUndefined(details: { [K in keyof UserAgentDetails]: UserAgentDetails[K] | undefined }): UserAgentDetails {
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined))
}

/** Real user agents have 100 to 300 characters. */
const MAX_USER_AGENT_LENGTH = 1_000
const MAX_CACHED_USER_AGENTS = 4_000

/**
 * Caches results, because a few user agents account for most of the traffic. User agents that exceed the length limit are
 * truncated and not cached: V8 keeps a whole string in memory for as long as a slice of it lives.
 */
export function cacheByUserAgent<T extends object | boolean>(
  parse: (userAgent: string) => T,
): (userAgent: string) => T {
  const cache = new BoundedMap<string, T>(MAX_CACHED_USER_AGENTS)
  return (userAgent) => {
    if (userAgent.length > MAX_USER_AGENT_LENGTH) return parse(userAgent.slice(0, MAX_USER_AGENT_LENGTH))
    const cached = cache.get(userAgent)
    if (cached !== undefined) return cached
    const result = parse(userAgent)
    cache.set(userAgent, result)
    return result
  }
}

/**
 * Maps bowser's names to ours, where they differ. Browsers and operating systems that are in no list of this file are
 * ignored.
 */
const renamedBrowsers: Readonly<Record<string, string>> = {
  'Microsoft Edge': 'Edge',
  'Samsung Internet for Android': 'Samsung Internet',
  'NAVER Whale Browser': 'Whale',
  'Google Search': 'Google App',
  Focus: 'Firefox Focus',
  Miui: 'Mi Browser',
  'Opera Coast': 'Opera',
  'Opera Touch': 'Opera',
  'QQ Browser Lite': 'QQ Browser',
  'WebOS Browser': 'webOS Browser',
  Tizen: 'Tizen Browser',
  'PlayStation 4': 'PlayStation',
}

const browsers = `Amazon Silk, Android Browser, Bada, BlackBerry, Brave, Chrome, Chromium, DuckDuckGo, Electron, Epiphany,
  Firefox, HeyTap Browser, Internet Explorer, K-Meleon, Ladybird, LibreWolf, Maxthon, MZ Browser, Opera, Pale Moon,
  PhantomJS, Puffin, QQ Browser, QupZilla, Roku, Safari, Sailfish, SeaMonkey, Sleipnir, SlimerJS, Sogou Browser, Swing,
  UC Browser, Vivaldi, Vivo Browser, WeChat, Yandex Browser`

/** Only websites that count bots have these in their statistics. */
const bots = `AmazonBot, BaiduSpider, BingCrawler, ChatGPT-User, ClaudeBot, Diffbot, DuckDuckBot, FacebookExternalHit,
  Googlebot, GPTBot, InternetArchiveCrawler, Linespider, Meta-ExternalAds, Meta-ExternalAgent, Meta-ExternalFetcher,
  Meta-WebIndexer, OAI-SearchBot, Omgilibot, PerplexityBot, Perplexity-User, PingdomBot, SlackBot, YahooSlurp,
  YandexBot, YouBot`

const renamedOperatingSystems: Readonly<Record<string, string>> = {
  Linux: 'GNU/Linux',
  'Chrome OS': 'ChromeOS',
  WebOS: 'webOS',
  'PlayStation 4': 'PlayStation',
}

const operatingSystems = 'Android, Bada, BlackBerry, HarmonyOS, iOS, macOS, Roku, Tizen, Windows, Windows Phone'

const browserNames = mapNames(`${browsers}, ${bots}`, renamedBrowsers)
const osNames = mapNames(operatingSystems, renamedOperatingSystems)

/** User agents that bowser gets wrong or does not recognize. The first match wins. */
const userAgentOverrides: readonly (readonly [RegExp, { os?: string; device: string }])[] = [
  [/playstation/i, { os: 'PlayStation', device: 'console' }],
  [/\bxbox\b/i, { os: 'Xbox', device: 'console' }],
  [/nintendo/i, { os: 'Nintendo', device: 'console' }],
  [/\bkaios\b/i, { os: 'KaiOS', device: 'mobile' }],
  [/\bCrOS\b/, { os: 'ChromeOS', device: 'desktop' }],
  [/\b(free|open|net)bsd\b/i, { os: 'BSD', device: 'desktop' }],
  // A Fire TV calls itself AFT followed by letters. It also sends "Mobile", so bowser takes it for a phone.
  [
    /\b(smart-?|google|android|apple|hbb)? ?tv\b|\bbravia\b|\bcrkey\b|\broku\b|\baft[a-z]\w* build\b/i,
    { device: 'tv' },
  ],
]

/**
 * Maps bowser's names to ours. `list` has the names that stay the same, separated by commas, and `renamedNames` has
 * the other names.
 */
function mapNames(list: string, renamedNames: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map([...list.split(/,\s+/).map((name) => [name, name] as const), ...Object.entries(renamedNames)])
}
