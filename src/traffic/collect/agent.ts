/** With what somebody looks at a page, without versions: they would make every visitor a row of their own. */
import { perAgent } from './agent-cache.ts'
import { browserNames, osNames, special } from './agent-names.ts'

export interface Agent {
  browser?: string
  os?: string
  device?: string
}

/** bowser is loaded when the first event comes, and takes about 20 µs for an agent that it has not seen. */
export async function loadAgentReader(): Promise<(userAgent: string) => Agent> {
  const { getParser } = await import('bowser')
  return perAgent((userAgent) => {
    // To bowser everything of Yahoo's is a crawler, also the app with which Japan reads the news. It refuses an empty text.
    const parser = getParser(userAgent.replace(/yahoo(?!! slurp)/gi, '') || '-', true)
    const known = special.find(([pattern]) => pattern.test(userAgent))?.[1]
    const os = known?.os ?? osNames.get(parser.getOSName())
    return leaveOut({
      browser: browserNames.get(parser.getBrowserName()),
      os,
      device: known?.device ?? deviceOf(parser.getPlatformType(), os, userAgent),
    })
  })
}

const devices = new Set(['desktop', 'mobile', 'tablet', 'tv'])

function deviceOf(type: string, os: string | undefined, userAgent: string): string | undefined {
  // Browsers on Android phones say so; bowser takes every device of some makers for a phone.
  if (os === 'Android' && type === 'mobile' && !/mobi/i.test(userAgent)) return 'tablet'
  return devices.has(type) ? type : undefined
}

function leaveOut(agent: { [K in keyof Agent]: Agent[K] | undefined }): Agent {
  const entries = Object.entries(agent).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries)
}
