import { beforeAll, describe, expect, it } from 'vitest'
import { type BotCheck, loadBotCheck } from './bot.ts'

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const chrome = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/126.0.0.0 Safari/537.36`

describe('who is no visitor', () => {
  let check: BotCheck
  beforeAll(async () => {
    check = await loadBotCheck()
  })
  const ask = (userAgent: string, headers = {}, isDriven = false) => check({ userAgent, headers, isDriven })

  it.each([
    ['', 'no user agent'],
    ['  ', 'an empty one'],
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'a crawler'],
    [`Mozilla/5.0 ${webkit}; compatible; GPTBot/1.2; +https://openai.com/gptbot`, 'a crawler of a model'],
    ['curl/8.5.0', 'a command'],
    ['python-requests/2.32.3', 'a library'],
    ['facebookexternalhit/1.1', 'a preview of a link'],
    [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/126.0.0.0 Safari/537.36`, 'a headless browser'],
    [
      'Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1',
      'PhantomJS',
    ],
    [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/118.0 Electron/27.1 Safari/537.36 Cypress/13.6.0`, 'a test'],
    ['x'.repeat(100_000), 'nonsense'],
  ])('%.60s is %s', (userAgent) => {
    expect(ask(userAgent)).toBe('bot')
    expect(ask(userAgent)).toBe('bot')
  })

  it.each([
    [chrome, 'Chrome'],
    [`Mozilla/5.0 (Linux; Android 10; K) ${webkit} Chrome/126.0.0.0 Mobile Safari/537.36`, 'a phone'],
    [`Mozilla/5.0 (Linux; Android 11; CUBOT X30) ${webkit} Chrome/126.0.0.0 Mobile Safari/537.36`, 'a phone of Cubot'],
    [
      `Mozilla/5.0 (Linux; Android 14; Google Pixel 8) ${webkit} Chrome/126.0.0.0 Mobile Safari/537.36`,
      'one of Google',
    ],
    [`Mozilla/5.0 (Windows NT 10.0) ${webkit} Slack/4.38 Chrome/124.0.0.0 Electron/30.0.9 Safari/537.36`, 'an app'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0', 'Firefox'],
  ])('%s is not: %s', (userAgent) => {
    expect(ask(userAgent)).toBeUndefined()
  })

  it('is a browser that a program drives', () => {
    expect(ask(chrome, {}, true)).toBe('bot')
  })

  it('is a headless browser under another name', () => {
    const brands = '"Not/A)Brand";v="8", "Chromium";v="126", "HeadlessChrome";v="126"'
    expect(ask(chrome, { 'sec-ch-ua': brands })).toBe('bot')
    expect(ask(chrome, { 'sec-ch-ua': brands.replace('Headless', 'Google ') })).toBeUndefined()
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
  ])('is a page that was loaded ahead: %s: %s', (header, value) => {
    expect(ask(chrome, { [header]: value })).toBe('prefetch')
  })

  it('is not who merely sends such a header', () => {
    expect(ask(chrome, { purpose: '', 'x-moz': 'microsummary' })).toBeUndefined()
  })
})
