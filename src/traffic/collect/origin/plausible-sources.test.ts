/** Sources of events, as Plausible and other analytics programs recognize them. */
import { describe, expect, it } from 'vitest'
import { parseReferrer, resolveOrigin } from './origin.ts'

// biome-ignore format: readable as a table
const labels: [source: string, ...labels: string[]][] = [
  ['Bing', 'bing', 'bing-ads', 'bingads', 'microsoft-ads', 'msn'],
  ['Copilot', 'copilot', 'copilot.com'],
  ['Facebook', 'fb', 'FB', 'fb-ads', 'fbads', 'fbad', 'fb_ad', 'facebook', 'facebook-ads', 'facebook_ads', 'Facebook Ads', 'facebook_ad', 'facebook_feed_ad', 'fcb', 'meta', 'meta-ads', 'l.facebook.com'],
  ['Google', 'google', 'google_ads', 'google-ads', 'googleads', 'google ads', 'Google Ads', 'gads', 'adwords', 'google.com'],
  ['Instagram', 'ig', 'IG', 'ig-ads', 'instagram', 'instagram-ads', 'igshopping', 'IGShopping'],
  ['LinkedIn', 'linkedin', 'linkedin-ads', 'LinkedIn_Ads', 'li'],
  ['Linktree', 'linktree', 'Linktree', 'linktr.ee'],
  ['Microsoft Teams', 'teams', 'Teams', 'msteams', 'teams.microsoft.com'],
  ['Perplexity', 'perplexity', 'pplx', 'pplx.ai', 'PPLX.AI'],
  ['Pinterest', 'pinterest', 'pinterest-ads'],
  ['Reddit', 'reddit', 'reddit-ads', 'Reddit-Ads', 'redditads', 'reddit_ad'],
  ['Snapchat', 'snapchat', 'snapchat-ads'],
  ['Threads', 'threads'],
  ['TikTok', 'tiktok', 'tiktokads', 'tiktok-ads', 'tik.tok', 'tt'],
  ['VK', 'vk', 'vkontakte', 'vkontakte.ru', 'vk-ads'],
  ['X', 'x', 'twitter', 'twitter-ads', 'Twitter_Ads', 'x-ads'],
  ['YouTube', 'youtube', 'yt', 'YT', 'yt-ads', 'ytads', 'youtube-ads'],
  // These labels are not the name of a source plus `ads`, so they stay as they are.
  ['ads', 'ads'],
  ['downloads', 'downloads'],
  ['betalist', 'betalist'],
]

const referrers: [source: string, ...referrers: string[]][] = [
  ['Bing', 'https://ntp.msn.com/edge/ntp', 'https://www.bing.com/'],
  ['Brave', 'https://search.brave.com/'],
  ['Copilot', 'https://copilot.com/', 'https://www.copilot.com/chats/1', 'https://copilot.microsoft.com/'],
  ['Discord', 'https://canary.discord.com/', 'https://ptb.discord.com/', 'https://discordapp.com/'],
  ['Facebook', 'http://m.facebook.com/', 'https://facebook.com/page/'],
  ['Linktree', 'https://linktr.ee/ada'],
  [
    'Microsoft 365',
    'https://word-edit.officeapps.live.com/',
    'https://excel.officeapps.live.com/x',
    'https://www.office.com/',
  ],
  ['Microsoft Teams', 'https://statics.teams.cdn.office.net/', 'https://teams.microsoft.com/'],
  ['Outlook', 'https://outlook.office.com/mail/'],
  ['Perplexity', 'https://pplx.ai/', 'https://www.perplexity.ai/search'],
  ['Reddit', 'android-app://com.reddit.frontpage'],
  ['Sogou', 'https://m.sogou.com/', 'https://wap.sogou.com/'],
  ['Telegram', 'https://t.me/ada', 'https://webk.telegram.org/'],
  ['VK', 'https://vkontakte.ru/', 'https://m.vk.com/'],
  ['Wikipedia', 'https://be-tarask.m.wikipedia.org/wiki/X'],
  ['Yandex', 'https://ya.ru/', 'https://yandex.com.tr/', 'https://yandex.uz/'],
  ['blog.example.com', 'https://blog.example.com'],
  ['msn.com', 'https://www.msn.com/'],
]

describe.each(['utm_source', 'source', 'ref'])('the parameter %s', (parameter) => {
  it.each(labels)('is recognized as %s', (source, ...spellings) => {
    for (const spelling of spellings) {
      const url = new URL(`https://example.com/?${parameter}=${encodeURIComponent(spelling)}`)
      expect([spelling, resolveOrigin(url, undefined, 'example.com').source]).toEqual([spelling, source])
    }
  })
})

describe('a referrer', () => {
  it.each(referrers)('is recognized as %s', (source, ...urls) => {
    for (const url of urls) {
      const origin = resolveOrigin(new URL('https://example.com/'), parseReferrer(url), 'example.com')
      expect([url, origin.source]).toEqual([url, source])
    }
  })
})
