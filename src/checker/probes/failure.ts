/** What a check failed by, fit to be kept and shown: plain text, not too long. */

import { shorten } from '../../lib/shorten.ts'
import { networkFault, sentenceAt } from '../../outgoing/network-fault.ts'
import type { Cause } from '../../shared/causes.ts'
import type { Finding, Unknown } from './probe.ts'

const DETAIL_MOST = 300

export type Failure = NonNullable<Finding['failure']>

export function failure(cause: Cause, detail: string): Failure {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: PostgreSQL takes no NUL, and nobody the others
  const plain = detail.replace(/[\x00-\x1f\x7f]+/g, ' ').toWellFormed()
  return { cause, detail: shorten(plain, DETAIL_MOST) }
}

/** `203.0.113.7:443`, `[2001:db8::7]:443` */
export function placeOf(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}

/** `place`: the address that was dialled, once there was one. */
export function failureOf(error: Error, host: string, place: string | null): Failure {
  const fault = networkFault(error)
  const { code = error.name } = error as NodeJS.ErrnoException
  if (code === 'HPE_HEADER_OVERFLOW') return failure('connect', 'the head of the answer is too long')
  if (fault === undefined) return failure('connect', `no connection to ${place ?? host} (${code})`)
  if (fault.cause === 'dns') return failure('dns', `${fault.sentence}: ${host}`)
  return failure(fault.cause, place === null ? fault.sentence : sentenceAt(fault, place))
}

const shortages: Record<string, string> = {
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
  ENOBUFS: 'no memory for connections',
  ENOMEM: 'no memory',
  EADDRNOTAVAIL: 'no free port, or no address of that kind',
}

/** What this machine is short of says nothing about the target. */
export function shortageOf(error: NodeJS.ErrnoException): Unknown | undefined {
  const shortage = shortages[error.code ?? '']
  return shortage === undefined ? undefined : { unknown: `This server could not check: ${shortage} (${error.code})` }
}
