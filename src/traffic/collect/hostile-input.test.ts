/** Anyone can send any input. No input may make a parser throw, take long, or return text that PostgreSQL rejects. */
import { beforeAll, describe, expect, it } from 'vitest'
import { ipListIncludes } from '../../lib/ip-list.ts'
import { createLog } from '../../lib/log.ts'
import { findContinent } from '../model/continents.ts'
import { parseLanguage, parseScreenResolution } from './browser-settings.ts'
import { type LocateIp, loadGeolocation } from './geolocation/geolocation.ts'
import { parseReferrer, resolveOrigin } from './origin/origin.ts'
import { formatHostname, formatPage } from './page/page.ts'
import { removeIgnoredParameters } from './page/query-parameters.ts'
import { type DetectBot, loadBotDetector } from './user-agent/bot.ts'
import { loadUserAgentParser, type ParseUserAgent } from './user-agent/user-agent.ts'

const pieces = [
  ...[
    'https://',
    'android-app://',
    'www.',
    'google',
    '.com',
    '.',
    '/',
    '//',
    '?',
    '#',
    '&',
    '=',
    '%',
    '%zz',
    '%F0%9F',
    '%00',
    '+',
  ],
  ...[
    'utm_source=',
    'utm_campaign=',
    'utm_medium=cpc',
    'gclid=',
    'ref',
    '*',
    '\n',
    '\0',
    '\ud800',
    '\udc00',
    '😀',
    'ä',
    '\u2028',
  ],
  ...[
    '::',
    'ffff:',
    '1.2.3.4',
    '/24',
    '%eth0',
    ':',
    '0',
    '9999',
    'x',
    ' ',
    '\t',
    ',',
    ';',
    ';q=0.5',
    'de-',
    '-',
    '_',
    '(',
    ')',
    '[',
  ],
  ...['Mozilla/5.0 ', 'Chrome/1 ', 'Android ', 'yahoo', 'Windows ', '__proto__', 'constructor', 'a'.repeat(300)],
]

/** Pseudo-random texts, the same in every run. */
function* randomTexts(count: number): Generator<string> {
  let state = 42
  const randomBelow = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  for (let n = 0; n < count; n++) {
    const length = n % 50 === 0 ? 500 : randomBelow(12)
    yield Array.from({ length }, () => pieces[randomBelow(pieces.length)]).join('')
  }
}

describe('arbitrary text', () => {
  let detectBot: DetectBot
  let parseUserAgent: ParseUserAgent
  let locateIp: LocateIp
  beforeAll(async () => {
    detectBot = await loadBotDetector()
    parseUserAgent = await loadUserAgentParser()
    locateIp = await loadGeolocation(undefined, createLog('silent', process.stdout))
  })

  /** Uses the text as each of the inputs that a sender controls. */
  function processText(text: string): Record<string, unknown> {
    const page = URL.parse(`https://example.com/${text}`) ?? new URL('https://example.com')
    const cleanedUrl = removeIgnoredParameters(page, text === '' ? null : text)
    return {
      bot: detectBot({ userAgent: text, headers: { purpose: text, 'sec-ch-ua': text }, isAutomated: false }),
      isExcluded: String(ipListIncludes(text, '1.2.3.4') || ipListIncludes('1.2.3.4', text)),
      page: formatPage(page, true),
      cleaned: formatPage(cleanedUrl, false),
      hostname: formatHostname(URL.parse(`https://${text}`)?.hostname ?? ''),
      appHostname: formatHostname(URL.parse(`app://${text}`)?.hostname ?? ''),
      ...resolveOrigin(page, parseReferrer(text), 'example.com'),
      ...parseUserAgent(text),
      language: parseLanguage(text),
      resolution: parseScreenResolution(text),
      ...locateIp(text),
      continent: findContinent(text),
    }
  }

  const isStorable = (value: unknown) =>
    typeof value === 'string' && value.length <= 1_000 && value.isWellFormed() && !value.includes('\0')

  it('is processed into short texts that PostgreSQL accepts', () => {
    for (const text of randomTexts(5_000)) {
      const unstorableEntries = Object.entries(processText(text)).filter(
        ([, value]) => value !== undefined && !isStorable(value),
      )
      if (unstorableEntries.length > 0)
        expect.fail(`${JSON.stringify(text)} becomes ${JSON.stringify(unstorableEntries)}`)
    }
  })

  it.each(pieces.map((piece) => [piece]))('is processed quickly even if it repeats %.12j', (piece) => {
    const text = piece.repeat(Math.ceil(16_000 / piece.length))
    for (const sent of [text, `https://${text}`, `?${text}`, `Mozilla/5.0 (${text}`, `${text}!`]) {
      const start = process.threadCpuUsage()
      processText(sent.slice(0, 16_000))
      // The test measures CPU time instead of elapsed time, because other processes may slow this one down.
      expect(process.threadCpuUsage(start).user / 1_000).toBeLessThan(250)
    }
  })
})
