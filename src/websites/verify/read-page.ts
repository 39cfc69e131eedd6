/** Finds the tracking snippets in a page, and what else says whether they work. */
import { type HtmlElement, readHtml } from '../../lib/html-elements.ts'
import { type PagePolicy, splitPolicies } from './content-security-policy.ts'

export interface PageSnippet {
  scriptUrl: URL
  /** Where the script sends events. */
  eventUrl: URL
  /** The domains in `data-domain`. Without the attribute, the tracker uses the host of the page. */
  domains: readonly string[]
  hasDomain: boolean
  nonce: string | undefined
  /** Browsers don't run a script whose `type` isn't one of JavaScript. */
  isInactive: boolean
  isOurScript: boolean
}

export interface HomePageContent {
  snippets: PageSnippet[]
  /** Policies in `<meta>` elements. */
  policies: PagePolicy[]
  hasTagManager: boolean
  /** Whether a script, or a link that preloads scripts, names the address of the tracker. */
  isNamedInScript: boolean
  isInComment: boolean
}

/** Real policies are shorter. The limit keeps a malicious page from making the response long. */
const MAX_POLICY_LENGTH = 8_192
const MAX_SNIPPETS = 20
const tagManagerPattern = /googletagmanager\.com\/(?:gtm\.js|ns\.html)|\bcontainer_\w{4,20}\.js\b/
const scriptTypes = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/i

/** `trackerUrl` is the address of `b.js` on this server. */
export function readPage(html: string, pageUrl: URL, trackerUrl: URL): HomePageContent {
  const { elements, comments } = readHtml(html)
  const base = elements.find(({ name, attributes }) => name === 'base' && attributes.has('href'))
  const baseUrl = URL.parse(base?.attributes.get('href') ?? '', pageUrl) ?? pageUrl
  const scripts = elements.filter(({ name }) => name === 'script')
  const trackerAddress = `${trackerUrl.host}${trackerUrl.pathname}`
  return {
    snippets: scripts.flatMap((script) => toSnippet(script, baseUrl, pageUrl) ?? []).slice(0, MAX_SNIPPETS),
    policies: elements.flatMap(readPolicies),
    hasTagManager: scripts.some(
      ({ attributes, text }) => tagManagerPattern.test(text) || tagManagerPattern.test(attributes.get('src') ?? ''),
    ),
    isNamedInScript:
      scripts.some(({ text }) => text.replaceAll('\\/', '/').includes(trackerAddress)) ||
      elements.some(({ name, attributes }) => name === 'link' && attributes.get('href')?.includes(trackerAddress)),
    isInComment: comments.some((comment) => comment.includes(trackerAddress)),
  }
}

/** Scripts of other analytics with `data-domain`, such as Plausible's, are snippets, too: they may send events to this server. */
function toSnippet({ attributes }: HtmlElement, baseUrl: URL, pageUrl: URL): PageSnippet | undefined {
  const scriptUrl = URL.parse(attributes.get('src') || 'none:', baseUrl)
  if (scriptUrl === null || !/^https?:$/.test(scriptUrl.protocol)) return undefined
  const isOurScript = scriptUrl.pathname.endsWith('/b.js')
  const domainList = attributes.get('data-domain')
  if (!isOurScript && domainList === undefined) return undefined
  const apiPath = isOurScript ? 'api/event' : '/api/event'
  return {
    scriptUrl,
    eventUrl: URL.parse(attributes.get('data-api') || apiPath, scriptUrl) ?? scriptUrl,
    domains: (domainList || pageUrl.hostname).split(',').map((domain) => domain.trim().toLowerCase()),
    hasDomain: domainList !== undefined,
    nonce: attributes.get('nonce'),
    isInactive: !scriptTypes.test(attributes.get('type') ?? ''),
    isOurScript,
  }
}

function readPolicies({ name, attributes }: HtmlElement): PagePolicy[] {
  const isPolicy = name === 'meta' && attributes.get('http-equiv')?.toLowerCase() === 'content-security-policy'
  return isPolicy ? splitPolicies(attributes.get('content') ?? '', 'meta').filter(isShort) : []
}

const isShort = ({ text }: PagePolicy) => text.length <= MAX_POLICY_LENGTH

/** Node joins repeated headers with commas, or returns them as a list. */
export const readHeaderPolicies = (header: string | string[] | undefined): PagePolicy[] =>
  [header ?? []].flat().flatMap((text) => splitPolicies(text, 'header').filter(isShort))
