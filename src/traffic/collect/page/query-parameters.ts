/** Reads the query parameters of URLs and removes some of them. */
import { BoundedMap } from '../../../lib/bounded-map.ts'

/** The rest of a longer query is discarded, so that no URL keeps the server busy. Real queries have up to 2,000 characters. */
const MAX_QUERY_LENGTH = 10_000
const MAX_PARAMETERS = 500

/** Splits `?a=1&b` into `a=1` and `b`, still encoded. */
export function splitQuery(url: URL): string[] {
  return url.search === '' ? [] : url.search.slice(1, 1 + MAX_QUERY_LENGTH).split('&', MAX_PARAMETERS)
}

export function decodeParameterName(parameter: string): string {
  const end = parameter.indexOf('=')
  return decodeQueryText(end === -1 ? parameter : parameter.slice(0, end))
}

export function decodeParameterValue(parameter: string): string {
  const start = parameter.indexOf('=')
  return start === -1 ? '' : decodeQueryText(parameter.slice(start + 1))
}

/** Leaves invalid escapes as they are. decodeURIComponent would throw, which takes 10 µs. */
function decodeQueryText(text: string): string {
  return /[%+]/.test(text) ? (new URLSearchParams(`=${text}`).get('') ?? '') : text
}

/** The decoded names of all parameters that `removeIgnoredParameters` examines. */
export function listParameterNames(url: URL): string[] {
  const hashQuery = findHashQuery(url)
  return [url, ...(hashQuery === undefined ? [] : [hashQuery])].flatMap((part) =>
    splitQuery(part).map(decodeParameterName),
  )
}

/** A website's list of ignored parameters, compiled. */
export interface IgnoredParameters {
  includesAll: boolean
  names: ReadonlySet<string>
  /** Matches names with an ignored prefix. One regular expression takes a tenth of the time of a hundred comparisons. */
  prefixPattern: RegExp
}

const MAX_CACHED_LISTS = 1_000
const compiledLists = new BoundedMap<string, IgnoredParameters>(MAX_CACHED_LISTS)

/** Returns the same URL if it has no ignored parameters. `listText` has one name per line, as the website stores it. */
export function removeIgnoredParameters(url: URL, listText: string | null): URL {
  if (listText === null) return url
  const ignoredParameters = getCompiledList(listText)
  const isIgnored = (name: string) => isParameterIgnored(name, ignoredParameters)
  return removeFromQuery(removeFromHash(url, isIgnored), isIgnored)
}

/** Single-page applications that route by fragment also have queries after the `#`. */
function findHashQuery({ hash }: URL): URL | undefined {
  const start = hash.indexOf('?')
  return start === -1 ? undefined : new URL(`http://localhost/${hash.slice(start)}`)
}

function removeFromHash(url: URL, isRemoved: (name: string) => boolean): URL {
  const hashQuery = findHashQuery(url)
  if (hashQuery === undefined) return url
  const { search } = removeFromQuery(hashQuery, isRemoved)
  if (search === hashQuery.search) return url
  const cleanedUrl = new URL(url)
  cleanedUrl.hash = url.hash.slice(0, url.hash.indexOf('?')) + search
  return cleanedUrl
}

/** Returns the same URL if nothing is removed. The other parameters keep their order and spelling. */
export function removeFromQuery(url: URL, isRemoved: (name: string) => boolean): URL {
  if (url.search === '') return url
  const remaining = splitQuery(url).filter((parameter) => !isRemoved(decodeParameterName(parameter)))
  const query = remaining.every((parameter) => parameter === '') ? '' : `?${remaining.join('&')}`
  return query === url.search ? url : replaceQuery(url, query)
}

/** Takes half the time of setting `search` on a copy, because the URL is parsed only once. */
function replaceQuery(url: URL, query: string): URL {
  const { href, search } = url
  const start = href.indexOf('?')
  return new URL(href.slice(0, start) + query + href.slice(start + search.length))
}

export function isParameterIgnored(name: string, { includesAll, names, prefixPattern }: IgnoredParameters): boolean {
  return includesAll || names.has(name) || prefixPattern.test(name)
}

function getCompiledList(listText: string): IgnoredParameters {
  const cached = compiledLists.get(listText)
  if (cached !== undefined) return cached
  const compiled = compileIgnoredParameters(listText)
  compiledLists.set(listText, compiled)
  return compiled
}

/** Decodes the lines like the names in a URL, so that `filter[color]` and `filter%5Bcolor%5D` are the same parameter. */
export function compileIgnoredParameters(listText: string): IgnoredParameters {
  const lines = listText.split('\n')
  const names = lines.filter((line) => !line.endsWith('*')).map(decodeQueryText)
  const prefixes = lines
    .filter((line) => line.endsWith('*'))
    .map((line) => RegExp.escape(decodeQueryText(line.slice(0, -1))))
  return {
    includesAll: lines.includes('*') || lines.includes('&'),
    names: new Set(names),
    prefixPattern: prefixes.length === 0 ? /(?!)/ : new RegExp(`^(?:${prefixes.join('|')})`),
  }
}
