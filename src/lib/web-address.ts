/** An http or https address as people type it. */
import { isIP } from 'node:net'

/** The parser of URLs would drop what is invisible without a word, and take a backslash for a slash. */
export function hasStrayCharacters(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return /[\s\\\x00-\x1f\x7f]/.test(text)
}

/** 'login': with a name or password in it. undefined: none at all. */
export function findWebAddress(text: string): URL | 'login' | undefined {
  // The parser would also add slashes that are missing.
  if (hasStrayCharacters(text) || !/^https?:\/\/[^/]/i.test(text)) return undefined
  const url = URL.parse(text)
  if (url === null || !isHost(withoutBrackets(url.hostname))) return undefined
  return /^[^/?#]*@/.test(text.slice(text.indexOf('//') + 2)) ? 'login' : url
}

export function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/** Names as the resolver takes them; some have underscores. */
export function isHost(host: string): boolean {
  if (isIP(host) !== 0) return true
  const labels = host.replace(/\.$/, '').split('.')
  return host.length <= 253 && labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label))
}
