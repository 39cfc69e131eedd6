/** The head of a request, in the form that Node takes fastest: names and values in turn. */
import type { Hop } from './hop.ts'

const defaults = [
  ['User-Agent', 'Belfry'],
  ['Accept', '*/*'],
  // Compressing would cost both sides more than it saves: we seldom read any of it.
  ['Accept-Encoding', 'identity'],
  ['Connection', 'close'],
] as const
const flatDefaults = defaults.flat()

const withBody = new Set(['POST', 'PUT', 'PATCH'])

export function pathOf({ url }: Hop): string {
  return `${url.pathname}${url.search}`
}

export function headersOf({ url, method, headers }: Hop, body: Buffer | undefined): string[] {
  const own = Object.entries(headers)
  const list = own.length === 0 ? ['Host', url.host, ...flatDefaults] : merge(url.host, own)
  if (body !== undefined || withBody.has(method)) list.push('Content-Length', String(body?.length ?? 0))
  return list
}

function merge(host: string, own: [string, string][]): string[] {
  const names = new Set(own.map(([name]) => name.toLowerCase()))
  const ours = [['Host', host] as const, ...defaults].filter(([name]) => !names.has(name.toLowerCase()))
  return [...ours.flat(), ...own.flat()]
}
