/** The names of browsers and operating systems in the statistics. Anything else that bowser reports is ignored. */

/** bowser's name → ours, where they differ. */
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

/** These appear only on websites that count bots. */
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

export const browserNames = mapNames(`${browsers}, ${bots}`, renamedBrowsers)
export const osNames = mapNames(operatingSystems, renamedOperatingSystems)

/** User agents that bowser gets wrong or does not recognize. The first match wins. */
export const userAgentOverrides: readonly (readonly [RegExp, { os?: string; device: string }])[] = [
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

/** Maps bowser's names to ours. Those in `list`, separated by commas, stay the same; `renamed` has the others. */
function mapNames(list: string, renamed: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map([...list.split(/,\s+/).map((name) => [name, name] as const), ...Object.entries(renamed)])
}
