/** With what somebody looks at a page, without versions: they would make every visitor a row of their own. */
import { perAgent } from './agent-cache.ts'

export interface Agent {
  browser?: string
  os?: string
  device?: string
}

/** bowser is loaded when the first event comes, and takes about 20 µs for an agent that it has not seen. */
export async function loadAgentReader(): Promise<(userAgent: string) => Agent> {
  const { default: bowser } = await import('bowser')
  return perAgent((userAgent) => {
    const { browser, os, platform } = bowser.parse(userAgent.trim() || '-')
    const agent: Agent = {}
    if (browser.name !== undefined) agent.browser = browser.name
    if (os.name !== undefined) agent.os = os.name
    if (platform.type !== undefined) agent.device = platform.type
    return agent
  })
}
