/** Anybody may send anything: nothing of it may throw, take long, or leave what the database does not take. */
import { beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '../../lib/log.ts'
import { continentOf } from '../model/continents.ts'
import { holdsAddress } from './address-list.ts'
import { type Agent, loadAgentReader } from './agent.ts'
import { type BotCheck, loadBotCheck } from './bot.ts'
import { languageOf } from './language.ts'
import { originOf } from './origin.ts'
import { pageOf, withoutExcluded } from './page.ts'
import { loadPlaces, type Place } from './place.ts'
import { resolutionOf } from './resolution.ts'

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

/** The same ones in every run. */
function* nonsense(count: number): Generator<string> {
  let state = 42
  const next = (most: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
  for (let n = 0; n < count; n++) {
    const length = n % 50 === 0 ? 500 : next(12)
    yield Array.from({ length }, () => pieces[next(pieces.length)]).join('')
  }
}

describe('nonsense', () => {
  let botOf: BotCheck
  let readAgent: (userAgent: string) => Agent
  let placeOf: (address: string) => Place
  beforeAll(async () => {
    botOf = await loadBotCheck()
    readAgent = await loadAgentReader()
    placeOf = await loadPlaces(undefined, createLog('silent', process.stdout))
  })

  function everythingOf(text: string): Record<string, unknown> {
    const page = URL.parse(`https://example.com/${text}`) ?? new URL('https://example.com')
    const rest = withoutExcluded(page, text === '' ? null : text)
    return {
      bot: botOf({ userAgent: text, headers: { purpose: text, 'sec-ch-ua': text }, isDriven: false }),
      excluded: String(holdsAddress(text, '1.2.3.4') || holdsAddress('1.2.3.4', text)),
      page: pageOf(page, true),
      rest: pageOf(rest, false),
      ...originOf(page, text, 'example.com'),
      ...readAgent(text),
      language: languageOf(text),
      resolution: resolutionOf(text),
      ...placeOf(text),
      continent: continentOf(text),
    }
  }

  it('is taken, and leaves short and clean texts', () => {
    for (const text of nonsense(5_000)) {
      for (const [field, value] of Object.entries(everythingOf(text))) {
        if (value === undefined) continue
        expect(value, `${field} of ${JSON.stringify(text)}`).toBeTypeOf('string')
        const kept = value as string
        expect(kept.length).toBeLessThanOrEqual(1_000)
        expect(kept.isWellFormed() && !kept.includes('\0'), `${field} of ${JSON.stringify(text)}`).toBe(true)
      }
    }
  })

  it.each(pieces.map((piece) => [piece]))('does not take long, however often it says %.12j', (piece) => {
    const text = piece.repeat(Math.ceil(16_000 / piece.length))
    for (const sent of [text, `https://${text}`, `?${text}`, `Mozilla/5.0 (${text}`, `${text}!`]) {
      const start = performance.now()
      everythingOf(sent.slice(0, 16_000))
      expect(performance.now() - start).toBeLessThan(250)
    }
  })
})
