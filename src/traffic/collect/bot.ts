/** Who is no visitor: programs, browsers without a person before them, and pages loaded in case somebody comes. */
import type { IncomingHttpHeaders } from 'node:http'
import { perAgent } from './agent-cache.ts'

export interface BotHints {
  userAgent: string
  headers: IncomingHttpHeaders
  /** The tracker saw navigator.webdriver. */
  isDriven: boolean
}

export type BotCheck = (hints: BotHints) => 'bot' | 'prefetch' | undefined

/** isbot is loaded when the first event comes. */
export async function loadBotCheck(): Promise<BotCheck> {
  const { isbot } = await import('isbot')
  const isBotAgent = perAgent((userAgent) => /^\s*$/.test(userAgent) || isbot(userAgent))
  return ({ userAgent, headers, isDriven }) => {
    if (isDriven || isBotAgent(userAgent) || isHeadless(headers)) return 'bot'
    return isPrefetch(headers) ? 'prefetch' : undefined
  }
}

/** Whoever gives a headless browser another user agent forgets that it says its name twice. */
function isHeadless(headers: IncomingHttpHeaders): boolean {
  return includes(headers['sec-ch-ua'], /headless/i)
}

const ahead = /prefetch|prerender|preview/i

/** Chromium says Sec-Purpose (once Purpose), Firefox X-Moz, Safari X-Purpose or Purpose: preview. */
function isPrefetch(headers: IncomingHttpHeaders): boolean {
  return (
    includes(headers['sec-purpose'], ahead) ||
    includes(headers['purpose'], ahead) ||
    includes(headers['x-purpose'], ahead) ||
    includes(headers['x-moz'], ahead)
  )
}

function includes(header: string | string[] | undefined, pattern: RegExp): boolean {
  return header !== undefined && pattern.test(String(header))
}
