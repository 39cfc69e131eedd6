import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { clickIdParameterNames, isOriginParameter } from './campaign.ts'
import { parseReferrer, resolveOrigin } from './origin.ts'

const page = new URL('https://example.com/')
const resolve = (url: URL, referrer: string | undefined, domain: string) =>
  resolveOrigin(url, referrer === undefined ? undefined : parseReferrer(referrer), domain)
const resolveReferrer = (referrer: string | undefined, domain = 'example.com') => resolve(page, referrer, domain)
const resolveWithQuery = (query: string, referrer?: string) =>
  resolve(new URL(`https://example.com/${query}`), referrer, 'example.com')

describe('a referrer', () => {
  it.each([
    ['https://news.example.org/', 'news.example.org'],
    ['https://www.example.org', 'example.org'],
    ['HTTPS://WWW.Example.ORG/Path/', 'example.org/Path'],
    ['http://example.org:8080/a//?token=hush#part', 'example.org/a'],
    ['https://ada:hush@example.org/a', 'example.org/a'],
    ['https://www.com/', 'www.com'],
    ['https://example.org./', 'example.org'],
    ['https://müller.de/ä', 'xn--mller-kva.de/ä'],
    ['http://192.0.2.1/x', '192.0.2.1/x'],
    ['http://[2001:db8::1]/x', '2001:db8::1/x'],
    ['https://notexample.com/', 'notexample.com'],
    ['https://example.com.evil.org/', 'example.com.evil.org'],
    ['android-app://com.google.android.gm/', 'com.google.android.gm'],
    ['android-app://com.reddit.frontpage/https/www.reddit.com/r/x', 'com.reddit.frontpage'],
    ['ios-app://544007664/', '544007664'],
    [`https://example.org/${'a'.repeat(1_000)}`, `example.org/${'a'.repeat(488)}`],
    [`https://example.org/${'/'.repeat(1_900)}x`, `example.org${'/'.repeat(489)}`],
  ])('%.80s is stored as %s', (sentReferrer, storedReferrer) => {
    expect(resolveReferrer(sentReferrer).referrer).toBe(storedReferrer)
  })

  it.each([
    undefined,
    '',
    'about:client',
    'example.org',
    '/path',
    'https:/example.org',
    'https://',
    'https://exa mple.org/',
    'https://[::1/',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'ftp://example.org/',
    'chrome-extension://abcdefgh/',
    'android-app:',
    'android-app:///x',
    '\ud800',
    `https://example.org/${'a'.repeat(2_000)}`,
    'x'.repeat(1_000_000),
  ])('is ignored if it is %.60j', (sentReferrer) => {
    expect(resolveReferrer(sentReferrer)).toEqual({ source: 'Direct' })
  })

  it.each([
    ['https://example.com/other', 'example.com'],
    ['https://www.example.com/', 'example.com'],
    ['https://www.example.com./', 'example.com'],
    ['https://example.net/', 'example.net'],
    // The page is on example.com, although its website has the domain example.net. So example.com is a host of the
    // website, too.
    ['http://example.com:3000/', 'example.net'],
  ])('is ignored if it is the website itself: %s on %s', (sentReferrer, domain) => {
    expect(resolveReferrer(sentReferrer, domain)).toEqual({ source: 'Direct' })
  })

  it('can be the parent domain of the website', () => {
    const url = new URL('https://blog.example.com/')
    expect(resolve(url, 'https://example.com/', 'blog.example.com').referrer).toBe('example.com')
  })

  it('can be another subdomain of the website', () => {
    expect(resolveReferrer('https://blog.example.com/x')).toEqual({
      referrer: 'blog.example.com/x',
      source: 'blog.example.com',
    })
  })

  it.each([
    'http://localhost:4000/',
    'http://shop.localhost/',
    'http://127.0.0.1:8080/x',
    'http://127.1/',
    'http://0.0.0.0/',
    'http://[::1]:3000/',
    'http://[::]/',
  ])("is ignored if it is on the visitor's own machine: %s", (sentReferrer) => {
    expect(resolveReferrer(sentReferrer)).toEqual({ source: 'Direct' })
    expect(resolveWithQuery('?utm_source=google', sentReferrer)).toEqual({ source: 'Google' })
  })
})

describe('a source', () => {
  it.each([
    ['https://www.google.com/', 'Google'],
    ['https://www.google.co.uk/', 'Google'],
    ['https://google.com.au/', 'Google'],
    ['https://www.google.de/search', 'Google'],
    ['https://news.google.com/', 'Google News'],
    ['https://mail.google.com/mail/u/0', 'Gmail'],
    ['https://gemini.google.com/app', 'Gemini'],
    ['https://google.example.org/', 'google.example.org'],
    ['https://notgoogle.com/', 'notgoogle.com'],
    ['https://www.bing.com/', 'Bing'],
    ['https://duckduckgo.com/', 'DuckDuckGo'],
    ['https://search.yahoo.com/', 'Yahoo'],
    ['https://search.yahoo.co.jp/', 'Yahoo'],
    ['https://yandex.ru/', 'Yandex'],
    ['https://search.brave.com/', 'Brave'],
    ['https://chatgpt.com/', 'ChatGPT'],
    ['https://www.perplexity.ai/', 'Perplexity'],
    ['https://l.facebook.com/l.php', 'Facebook'],
    ['https://lm.facebook.com/', 'Facebook'],
    ['https://fb.me/x', 'Facebook'],
    ['https://l.instagram.com/', 'Instagram'],
    ['https://t.co/abc', 'X'],
    ['https://mobile.twitter.com/', 'X'],
    ['https://lnkd.in/abc', 'LinkedIn'],
    ['https://de.linkedin.com/', 'LinkedIn'],
    ['https://old.reddit.com/r/x', 'Reddit'],
    ['https://news.ycombinator.com/item', 'Hacker News'],
    ['https://www.ycombinator.com/', 'ycombinator.com'],
    ['https://m.youtube.com/watch', 'YouTube'],
    ['https://www.pinterest.co.uk/pin/1', 'Pinterest'],
    ['https://web.telegram.org/', 'Telegram'],
    ['https://de.wikipedia.org/wiki/X', 'Wikipedia'],
    ['https://ada.substack.com/p/x', 'Substack'],
    ['https://outlook.live.com/', 'Outlook'],
    ['android-app://org.telegram.messenger/', 'Telegram'],
    ['android-app://com.google.android.googlequicksearchbox/https/www.google.com', 'Google'],
    ['android-app://org.example.reader', 'org.example.reader'],
    ['ios-app://544007664/', 'YouTube'],
    ['https://news.example.org/', 'news.example.org'],
    ['https://www.example.org/', 'example.org'],
    ['https://www.a.b.example.co.uk/', 'a.b.example.co.uk'],
    ['https://localhost.example.org/', 'localhost.example.org'],
    [`https://${'a.'.repeat(120)}example.org/`, 'a.'.repeat(100)],
    ['https://ada.github.io/', 'ada.github.io'],
    ['http://intranet/', 'intranet'],
    ['http://192.0.2.1/', '192.0.2.1'],
    ['http://[2001:db8::1]/', '2001:db8::1'],
  ])('of %s is %s', (referrer, source) => {
    expect(resolveReferrer(referrer).source).toBe(source)
  })

  it.each([
    ['?utm_source=google', 'Google'],
    ['?utm_source=Google-Ads', 'Google'],
    ['?utm_source=fb', 'Facebook'],
    ['?utm_source=Hacker%20News', 'Hacker News'],
    ['?utm_source=hackernews', 'Hacker News'],
    ['?utm_source=twitter', 'X'],
    ['?utm_source=twitter.com', 'X'],
    ['?utm_source=chatgpt.com', 'ChatGPT'],
    ['?utm_source=www.Example.org', 'example.org'],
    ['?utm_source=newsletter', 'Newsletter'],
    ['?utm_source=Spring+Letter', 'Spring Letter'],
    ['?utm_source=v2.final', 'v2.final'],
    ['?UTM_SOURCE=google', 'Google'],
    ['?utm%5Fsource=google', 'Google'],
    ['?ref=producthunt', 'Product Hunt'],
    ['?source=lobste.rs', 'Lobsters'],
    ['?ref=a&source=b&utm_source=c', 'c'],
    ['?ref=a&source=b', 'b'],
    ['?utm_source=&ref=a', 'a'],
    ['?utm_source=a&utm_source=b', 'a'],
    ['?utm_medium=email', 'Email'],
    ['?utm_medium=social', 'Reddit'],
    ['?utm_source=x%00%0Ay', 'x y'],
    ['?utm_source=%FF', '\ufffd'],
    ['?utm_source=__proto__', '__proto__'],
    [`?utm_source=${'a'.repeat(300)}`, 'a'.repeat(200)],
    ['?q=1', 'Reddit'],
    ['#utm_source=google', 'Reddit'],
  ])('of %.60s is %s when the referrer is Reddit', (query, source) => {
    expect(resolveWithQuery(query, 'https://www.reddit.com/').source).toBe(source)
  })

  it.each([
    ['?gclid=x', 'Google'],
    ['?msclkid=x', 'Bing'],
    ['?fbclid=x', 'Facebook'],
    ['?igshid=x', 'Instagram'],
    ['?ScCid=x', 'Snapchat'],
    ['?mc_cid=x', 'Mailchimp'],
    ['?gclid=', 'Direct'],
    ['?gclid', 'Direct'],
    ['?constructor=x', 'Direct'],
    ['?utm_campaign=spring', 'Direct'],
  ])('of %s is %s without a referrer', (query, source) => {
    expect(resolveWithQuery(query).source).toBe(source)
  })

  it('comes from the referrer rather than from a click id', () => {
    expect(resolveWithQuery('?fbclid=x', 'https://l.instagram.com/').source).toBe('Instagram')
    expect(resolveWithQuery('?gclid=x', 'https://news.example.org/')).toEqual({
      referrer: 'news.example.org',
      source: 'news.example.org',
      campaign: 'Google Ads',
    })
  })
})

describe('a campaign', () => {
  it.each([
    ['?utm_campaign=spring', 'spring'],
    ['?utm_campaign=Spring+%26+Summer', 'Spring & Summer'],
    ['?utm_campaign=%20%00a%0D%0Ab%E2%80%A8', 'a b'],
    ['?utm_campaign=spring&gclid=x', 'spring'],
    ['?gclid=x', 'Google Ads'],
    ['?gad_source=1&gbraid=x', 'Google Ads'],
    ['?msclkid=x', 'Microsoft Ads'],
    ['?yclid=x', 'Yandex Direct'],
    ['?fbclid=x', undefined],
    ['?utm_source=google&utm_medium=cpc', 'Google Ads'],
    ['?utm_source=facebook&utm_medium=paid_social', 'Meta Ads'],
    ['?utm_source=example.org&utm_medium=cpc', undefined],
    ['?utm_source=google&utm_medium=organic', undefined],
    ['?utm_campaign=', undefined],
    ['?utm_campaign', undefined],
    ['', undefined],
    [`?utm_campaign=${'ä'.repeat(300)}`, 'ä'.repeat(200)],
    [`?utm_campaign=${'a'.repeat(199)}😀`, 'a'.repeat(199)],
  ])('of %.60s is %s', (query, campaign) => {
    expect(resolveWithQuery(query).campaign).toBe(campaign)
  })
})

describe('the parameters that say where a visit comes from', () => {
  const documentedNames = [
    ...readFileSync(new URL('../../../../docs/statistics.md', import.meta.url), 'utf8').matchAll(
      /^\| (?:`utm_\*`|`source`|Click ids) .*$/gm,
    ),
  ].flatMap(([row]) => [...row.matchAll(/`([a-z_*]+)`/g)].map(([, name]) => name))

  it('are the documented parameters', () => {
    expect(documentedNames).toEqual(expect.arrayContaining(['utm_*', 'source', 'ref', ...clickIdParameterNames]))
    for (const name of documentedNames) expect(isOriginParameter(name as string), name).toBe(true)
  })

  it.each(['utm_id', 'UTM_Source', 'Ref', 'GCLID'])('include %s', (name) => {
    expect(isOriginParameter(name)).toBe(true)
  })

  it.each(['utm', 'referrer', 'sources', 'q', '', 'constructor', '__proto__'])('do not include %j', (name) => {
    expect(isOriginParameter(name)).toBe(false)
  })
})
