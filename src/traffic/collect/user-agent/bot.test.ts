import { beforeAll, describe, expect, it } from 'vitest'
import { type DetectBot, loadBotDetector } from './bot.ts'

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const chrome = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/126.0.0.0 Safari/537.36`

describe('detectBot', () => {
  let detectBot: DetectBot
  beforeAll(async () => {
    detectBot = await loadBotDetector()
  })
  const detect = (userAgent: string, headers = {}, isAutomated = false) =>
    detectBot({ userAgent, headers, isAutomated })

  it.each([
    ['', 'no user agent'],
    ['  ', 'a blank user agent'],
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'a crawler'],
    [`Mozilla/5.0 ${webkit}; compatible; GPTBot/1.2; +https://openai.com/gptbot`, 'an AI crawler'],
    ['curl/8.5.0', 'a command-line tool'],
    ['python-requests/2.32.3', 'an HTTP library'],
    ['facebookexternalhit/1.1', 'a link preview'],
    [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/126.0.0.0 Safari/537.36`, 'a headless browser'],
    [
      'Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1',
      'PhantomJS',
    ],
    [
      `Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/118.0 Electron/27.1 Safari/537.36 Cypress/13.6.0`,
      'a test runner',
    ],
    ['generic crawler', 'a program that calls itself a crawler'],
    ['axios/1.6.0', 'a JavaScript library'],
    ['k6/0.47.0', 'a load test'],
  ])('%.60s is a bot: %s', (userAgent) => {
    expect(detect(userAgent)).toBe('bot')
    expect(detect(userAgent)).toBe('bot')
  })

  it.each([
    [chrome, 'Chrome'],
    [`Mozilla/5.0 (Linux; Android 10; K) ${webkit} Chrome/126.0.0.0 Mobile Safari/537.36`, 'a phone'],
    [
      `Mozilla/5.0 (Linux; Android 11; CUBOT X30) ${webkit} Chrome/126.0.0.0 Mobile Safari/537.36`,
      'a phone from Cubot',
    ],
    [
      `Mozilla/5.0 (Linux; Android 14; Google Pixel 8) ${webkit} Chrome/126.0.0.0 Mobile Safari/537.36`,
      'a phone from Google',
    ],
    [`Mozilla/5.0 (Windows NT 10.0) ${webkit} Slack/4.38 Chrome/124.0.0.0 Electron/30.0.9 Safari/537.36`, 'an app'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0', 'Firefox'],
    ['unknown UA', 'an unknown user agent'],
    ['My Shop/2.4 (iPhone; iOS 17.5)', 'an app'],
    ['Lynx/2.8.9rel.1', 'a rare browser'],
    ['x'.repeat(100_000), 'nonsense'],
  ])('%.60s is a person: %s', (userAgent) => {
    expect(detect(userAgent)).toBeUndefined()
  })

  it('treats a browser with navigator.webdriver as a bot', () => {
    expect(detect(chrome, {}, true)).toBe('bot')
  })

  it('treats a headless browser with a faked user agent as a bot', () => {
    const brands = '"Not/A)Brand";v="8", "Chromium";v="126", "HeadlessChrome";v="126"'
    expect(detect(chrome, { 'sec-ch-ua': brands })).toBe('bot')
    expect(detect(chrome, { 'sec-ch-ua': brands.replace('Headless', 'Google ') })).toBeUndefined()
  })

  it.each([
    ['sec-purpose', 'prefetch'],
    ['sec-purpose', 'prefetch;prerender'],
    ['sec-purpose', 'Prefetch;anonymous-client-ip'],
    ['purpose', 'prefetch'],
    ['purpose', 'preview'],
    ['x-purpose', 'preview'],
    ['x-moz', 'prefetch'],
    ['x-moz', ['other', 'prefetch']],
  ])('recognizes a prefetch by the header %s: %s', (header, value) => {
    expect(detect(chrome, { [header]: value })).toBe('prefetch')
  })

  it('ignores the headers of a prefetch when they have other values', () => {
    expect(detect(chrome, { purpose: '', 'x-moz': 'microsummary' })).toBeUndefined()
  })
})
