/** The parts of a query as they are written. */

/** What is behind is not looked at, so that no address of a page can keep us busy. Browsers' links have 2,000 at most. */
const QUERY_MOST = 10_000
const PARAMETERS_MOST = 500

/** `?a=1&b` is `a=1` and `b`. */
export function parametersOf(url: URL): string[] {
  return url.search === '' ? [] : url.search.slice(1, 1 + QUERY_MOST).split('&', PARAMETERS_MOST)
}

export function nameIn(parameter: string): string {
  const end = parameter.indexOf('=')
  return decode(end === -1 ? parameter : parameter.slice(0, end))
}

export function valueIn(parameter: string): string {
  const start = parameter.indexOf('=')
  return start === -1 ? '' : decode(parameter.slice(start + 1))
}

/** As servers and browsers read it; a wrong escape stands for itself. decodeURIComponent would throw, which takes 10 µs. */
export function decode(text: string): string {
  return /[%+]/.test(text) ? (new URLSearchParams(`=${text}`).get('') ?? '') : text
}
