/** Detects events that no person caused: programs, automated browsers, and pages that a browser loads in advance. */
import type { IncomingHttpHeaders } from 'node:http'
import { cacheByUserAgent } from './user-agent.ts'

export interface BotSignals {
  userAgent: string
  headers: IncomingHttpHeaders
  /** The tracker reports `navigator.webdriver`. */
  isAutomated: boolean
}

export type DetectBot = (signals: BotSignals) => 'bot' | 'prefetch' | undefined

/**
 * isbot recognizes these programs only by the form of their user agents, and `loadBotDetector` leaves such patterns
 * out. So this pattern lists the programs by name.
 */
const programPattern =
  /^(apachebench|axios|bun|colly|deno|faraday|guzzle|hey|hyper|insomnia|k6|reqwest|ruby|symfony|undici|ureq|vegeta|wrk)\b|puppeteer/i

/**
 * Loads isbot. `EventIntake` calls this when the first event arrives. Some patterns of isbot match the form of a user agent, such
 * as two words without a version. They are left out, because apps and rare browsers have such user agents, too.
 */
export async function loadBotDetector(): Promise<DetectBot> {
  const { createIsbotFromList, list } = await import('isbot')
  const isKnownBot = createIsbotFromList([...list.filter(namesProgram), programPattern.source])
  const isBotUserAgent = cacheByUserAgent((userAgent) => /^\s*$/.test(userAgent) || isKnownBot(userAgent))
  return ({ userAgent, headers, isAutomated }) => {
    if (isAutomated || isBotUserAgent(userAgent) || isHeadless(headers)) return 'bot'
    return isPrefetch(headers) ? 'prefetch' : undefined
  }
}

/**
 * Whether the pattern contains the name of a program: two letters or digits in a row. `mozilla` and `compatible` don't
 * count, because browsers send them, too.
 */
function namesProgram(pattern: string): boolean {
  const literalText = pattern.replace(/\\.|\[[^\]]*\]|\{[^}]*\}|mozilla|compatible/g, ' ')
  return /[a-z0-9]{2}/.test(literalText)
}

/** A headless browser with a faked user agent still names itself in Sec-CH-UA. */
function isHeadless(headers: IncomingHttpHeaders): boolean {
  return matches(headers['sec-ch-ua'], /headless/i)
}

const prefetchPurposePattern = /prefetch|prerender|preview/i

/** Chromium sends Sec-Purpose (formerly Purpose), Firefox X-Moz, and Safari X-Purpose or Purpose with "preview". */
function isPrefetch(headers: IncomingHttpHeaders): boolean {
  return (
    matches(headers['sec-purpose'], prefetchPurposePattern) ||
    matches(headers['purpose'], prefetchPurposePattern) ||
    matches(headers['x-purpose'], prefetchPurposePattern) ||
    matches(headers['x-moz'], prefetchPurposePattern)
  )
}

function matches(header: string | string[] | undefined, pattern: RegExp): boolean {
  return header !== undefined && pattern.test(String(header))
}
