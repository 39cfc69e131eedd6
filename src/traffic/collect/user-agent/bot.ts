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

/** Loads isbot. The collector calls this when the first event arrives. */
export async function loadBotDetector(): Promise<DetectBot> {
  const { isbot } = await import('isbot')
  const isBotUserAgent = cacheByUserAgent((userAgent) => /^\s*$/.test(userAgent) || isbot(userAgent))
  return ({ userAgent, headers, isAutomated }) => {
    if (isAutomated || isBotUserAgent(userAgent) || isHeadless(headers)) return 'bot'
    return isPrefetch(headers) ? 'prefetch' : undefined
  }
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
