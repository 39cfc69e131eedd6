/** The parts of a query as they are written. */

/** What is behind them is not looked at, so that no address of a page can keep us busy. */
const PARAMETERS_MOST = 1_000

/** `?a=1&b` is `a=1` and `b`. */
export function parametersOf(url: URL): string[] {
  return url.search === '' ? [] : url.search.slice(1).split('&', PARAMETERS_MOST)
}

export function nameIn(parameter: string): string {
  const end = parameter.indexOf('=')
  return decode(end === -1 ? parameter : parameter.slice(0, end))
}

export function valueIn(parameter: string): string {
  const start = parameter.indexOf('=')
  return start === -1 ? '' : decode(parameter.slice(start + 1))
}

/** As servers and browsers read it; a wrong escape stands for itself. */
export function decode(text: string): string {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    // Slower, and never at a loss. The sign in front keeps what follows in one piece.
    return new URLSearchParams(`=${text.replaceAll('&', '%26')}`).get('') ?? ''
  }
}
