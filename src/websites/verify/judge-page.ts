/** Decides from a fetched page whether the tracking snippet is installed, and says what to do if it isn't. */
import type { FetchedPage } from '../../outgoing/fetch-page.ts'
import type { NetworkFault } from '../../outgoing/network-fault.ts'
import { findReach, isLoopbackHostname, reaches } from '../../shared/reach.ts'
import { type BlockedDirective, findBlockedDirectives } from './content-security-policy.ts'
import { type HomePageContent, type PageSnippet, readHeaderPolicies, readPage } from './read-page.ts'
import type { VerificationRecord } from './schema.ts'

/** `url` is the URL that was requested. */
export type HomePageResult =
  | { kind: 'page'; page: FetchedPage }
  | { kind: 'redirect'; url: string; redirectedTo: string }
  | { kind: 'failure'; url: string; fault: NetworkFault }

export interface InstalledWebsite {
  domain: string
  /** The URL of this server, without a slash at the end. */
  baseUrl: string
  /** Whether the public URL of this server is set. Without it, `baseUrl` is the address in the request. */
  hasPublicUrl: boolean
}

export type Verification = Omit<VerificationRecord, 'verified_at'>
type Judgement = Pick<Verification, 'result' | 'message'>

export function judgePage(result: HomePageResult, website: InstalledWebsite): Verification {
  const nothing = { url: null, status: null, snippets: [], blocked: [] }
  if (result.kind === 'failure') return { ...nothing, ...judgeFailure(result) }
  if (result.kind === 'redirect') return { ...nothing, ...judgeRedirect(result, website) }
  const { page } = result
  const facts = { url: page.url, status: page.status }
  if (!isHtml(page)) {
    if (isError(page)) return { ...nothing, ...facts, ...judgeError(page) }
    const type = String(page.headers['content-type'] ?? 'no content type')
    const message = `${page.url} isn't an HTML page (${type.slice(0, 100)}), so it can't contain the snippet.`
    return { ...nothing, ...facts, result: 'not_html', message }
  }
  const pageUrl = new URL(page.url)
  const trackerUrl = new URL(`${website.baseUrl}/b.js`)
  const content = readPage(page.bytes.toString('utf8'), pageUrl, trackerUrl)
  const snippet = chooseSnippet(content.snippets, website, pageUrl)
  const blocked = findBlockedDirectives(
    [...readHeaderPolicies(page.headers['content-security-policy']), ...content.policies],
    {
      scriptUrl: snippet?.scriptUrl ?? trackerUrl,
      eventUrl: snippet?.eventUrl ?? new URL('api/event', trackerUrl),
      nonce: snippet?.nonce,
      pageUrl,
    },
  )
  const judgement =
    snippet === undefined ? judgeMissing(content, page) : judgeSnippet(snippet, { content, blocked, pageUrl }, website)
  return {
    ...facts,
    ...(isError(page) ? withStatus(judgement, page) : judgement),
    snippets: content.snippets.map(describeSnippet),
    blocked,
  }
}

const isError = ({ status }: FetchedPage) => status >= 400

/** A working snippet on an error page counts visits, but the visitors see an error. */
function withStatus({ result, message }: Judgement, { url, status }: FetchedPage): Judgement {
  if (result === 'http_error') return { result, message }
  if (result === 'installed' || result === 'several') {
    return {
      result: 'http_error',
      message: `The snippet is on ${url}, but the page responds with status ${status}, so visitors see an error. Fix the page, then verify again.`,
    }
  }
  return { result, message: `${message} The page responds with status ${status}.` }
}

function judgeError({ url, status }: FetchedPage): Judgement {
  const hint = [401, 403, 429, 503].includes(status)
    ? " The website may refuse requests that don't come from a browser."
    : ''
  return {
    result: 'http_error',
    message: `${url} responds with status ${status}, and the response doesn't contain the snippet.${hint}`,
  }
}

const describeSnippet = ({ scriptUrl, eventUrl, domains }: PageSnippet) => ({
  src: scriptUrl.href,
  domain: domains.join(),
  events_url: eventUrl.href,
})

function judgeFailure({ url, fault }: { url: string; fault: NetworkFault }): Judgement {
  const reason = fault.cause === 'blocked' ? fault.description : `${url} can't be reached: ${fault.description}`
  return { result: 'unreachable', message: `${reason}.` }
}

function judgeRedirect(
  { url, redirectedTo }: { url: string; redirectedTo: string },
  { domain }: InstalledWebsite,
): Judgement {
  const target = URL.parse(redirectedTo)
  const host = target?.hostname.replace(/^www\./, '') ?? ''
  if (isPartOf(host, domain)) return { result: 'unreachable', message: `${url} redirects too often.` }
  return {
    result: 'redirected',
    message: `${url} redirects to ${host || redirectedTo.slice(0, 200)}, which isn't part of ${domain}. Add ${host || 'that host'} as a website if its visits should be counted.`,
  }
}

const isPartOf = (host: string, domain: string) => host === domain || host.endsWith(`.${domain}`)

function isHtml({ headers, bytes }: FetchedPage): boolean {
  const type = headers['content-type']
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') return false
  // Without a type, browsers look at the content.
  return type === undefined ? /^\s*</.test(bytes.toString('utf8', 0, 1_000)) : /\b(?:xhtml|html)\b/i.test(type)
}

/** Prefers the snippet that sends events to this server. Another script that is also called b.js has no `data-domain`. */
function chooseSnippet(snippets: readonly PageSnippet[], website: InstalledWebsite, pageUrl: URL) {
  const activeSnippets = snippets.filter(({ isInactive }) => !isInactive)
  return (
    activeSnippets.find((snippet) => isOwnServer(snippet, website, pageUrl)) ??
    activeSnippets.find(({ hasDomain }) => hasDomain)
  )
}

/** A proxy on the website itself can pass scripts and events on to this server, so that ad blockers don't notice them. */
function isOwnServer({ eventUrl, hasDomain }: PageSnippet, { baseUrl }: InstalledWebsite, pageUrl: URL): boolean {
  const ownUrl = new URL(`${baseUrl}/api/event`)
  if (hasDomain && eventUrl.host === pageUrl.host) return true
  const isSameHost = isLoopback(ownUrl)
    ? isLoopback(eventUrl) && eventUrl.port === ownUrl.port
    : eventUrl.host === ownUrl.host
  return isSameHost && eventUrl.pathname === ownUrl.pathname
}

const isLoopback = ({ hostname }: URL) => isLoopbackHostname(hostname)

function judgeMissing(content: HomePageContent, page: FetchedPage): Judgement {
  const { url, isComplete } = page
  if (content.snippets.some(({ isInactive }) => isInactive)) {
    return {
      result: 'inactive',
      message: `The snippet on ${url} has a \`type\` that browsers don't run. A consent banner may activate it later; Belfry needs no consent for cookies, because it sets none.`,
    }
  }
  if (isError(page)) return judgeError(page)
  if (content.isInComment)
    return { result: 'missing', message: `The snippet on ${url} is in an HTML comment. Remove <!-- and --> around it.` }
  if (content.hasTagManager) {
    return {
      result: 'tag_manager',
      message: `${url} loads a tag manager. A snippet in a tag manager isn't visible in the page, so open the website and wait for the first visit.`,
    }
  }
  if (content.isNamedInScript) {
    return {
      result: 'script',
      message: `A script on ${url} loads the tracker. Open the website and wait for the first visit.`,
    }
  }
  const part = isComplete ? url : `the first part of ${url}`
  return {
    result: 'missing',
    message: `The snippet isn't on ${part}. Add it to the <head> of the page. If you just did, a cache may still serve the old page.`,
  }
}

interface SnippetContext {
  content: HomePageContent
  blocked: readonly BlockedDirective[]
  pageUrl: URL
}

function judgeSnippet(
  snippet: PageSnippet,
  { content, blocked, pageUrl }: SnippetContext,
  website: InstalledWebsite,
): Judgement {
  const { domain, baseUrl } = website
  const { scriptUrl, eventUrl, domains } = snippet
  if (!domains.some((each) => isPartOf(each.replace(/^www\./, ''), domain))) {
    return {
      result: 'wrong_domain',
      message: `The snippet on ${pageUrl.href} has data-domain="${domains.join().slice(0, 300)}", but this website is ${domain}.`,
    }
  }
  if (!isOwnServer(snippet, website, pageUrl)) {
    return {
      result: 'wrong_server',
      message: `The snippet on ${pageUrl.href} sends visits to ${eventUrl.origin}, but the address of this server is ${baseUrl}.`,
    }
  }
  const localUrl = [scriptUrl, eventUrl].find((url) => rankReach(url) < rankReach(pageUrl))
  if (localUrl !== undefined) return judgeLocalAddress(localUrl, pageUrl, website)
  if (pageUrl.protocol === 'https:' && scriptUrl.protocol === 'http:' && !isLoopback(scriptUrl)) {
    return {
      result: 'mixed_content',
      message: `${pageUrl.href} uses HTTPS, but the snippet loads from ${scriptUrl.origin}. Browsers block that. Use an https address for this server.`,
    }
  }
  if (blocked.length > 0) {
    const directives = [...new Set(blocked.map(({ directive }) => directive))].join(' and ')
    return {
      result: 'blocked',
      message: `The snippet is on ${pageUrl.href}, but its Content-Security-Policy blocks it: ${directives} must allow ${scriptUrl.origin}.`,
    }
  }
  return judgeWorkingSnippet(content, pageUrl, domain)
}

const rankReach = ({ hostname }: URL) => reaches.indexOf(findReach(hostname))

function judgeLocalAddress(localUrl: URL, pageUrl: URL, { hasPublicUrl }: InstalledWebsite): Judgement {
  const place = isLoopback(localUrl) ? 'on the Belfry server itself' : 'in the network of the Belfry server'
  const task = hasPublicUrl ? 'change the public URL to an address that visitors can reach' : 'set the public URL'
  return {
    result: 'local_address',
    message: `The snippet on ${pageUrl.href} uses the address ${localUrl.origin}, which only works ${place}. An admin must ${task}, under Account → Server settings or with BELFRY_URL. Then replace the snippet on the page.`,
  }
}

/** The tracker starts only once on a page, so further snippets have no effect. */
function judgeWorkingSnippet({ snippets }: HomePageContent, pageUrl: URL, domain: string): Judgement {
  const ourSnippets = snippets.filter(({ isInactive, isOurScript }) => isOurScript && !isInactive)
  if (ourSnippets.length < 2) {
    return { result: 'installed', message: `The snippet is on ${pageUrl.href} and counts visits to ${domain}.` }
  }
  const firstDomain = ourSnippets[0]?.domains.join() ?? domain
  return {
    result: 'several',
    message: `${pageUrl.href} has ${ourSnippets.length} snippets. Only the first one runs, which counts visits for ${firstDomain}. Remove the others.`,
  }
}
