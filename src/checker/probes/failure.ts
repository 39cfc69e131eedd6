/** Turns errors into check failures, each described by a short plain-text sentence. */

import { truncate } from '../../lib/text.ts'
import { describeFaultAt, findNetworkFault } from '../../outgoing/network-fault.ts'
import type { Cause } from '../../shared/causes.ts'
import type { CheckFailure, Inconclusive } from './probe.ts'

const MAX_DETAIL_LENGTH = 300
const MAX_QUOTE_LENGTH = 100

export function createFailure(cause: Cause, detail: string): CheckFailure {
  return { cause, detail: toPlainDetail(detail) }
}

/** Replaces control characters and truncates the text, because it may come from the target. */
export function toPlainDetail(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: PostgreSQL rejects NUL; the others break logs and messages
  const plainText = text.replace(/[\x00-\x1f\x7f]+/g, ' ').toWellFormed()
  return truncate(plainText, MAX_DETAIL_LENGTH)
}

/** Quotes a text that the owner entered or the target sent. */
export function quote(text: string): string {
  return text.length > MAX_QUOTE_LENGTH ? `"${truncate(text, MAX_QUOTE_LENGTH)}…"` : `"${text}"`
}

/** `endpoint` is null until the check has an address to connect to. */
export function createFailureFromError(error: Error, host: string, endpoint: string | null): CheckFailure {
  const fault = findNetworkFault(error)
  const { code = error.name } = error as NodeJS.ErrnoException
  if (code === 'HPE_HEADER_OVERFLOW') return createFailure('connect', 'Response headers are too long')
  if (fault === undefined) return createFailure('connect', `Could not connect to ${endpoint ?? host} (${code})`)
  // The description of a blocked target begins with its host name, which must not be capitalized.
  if (fault.cause === 'blocked') return createFailure('blocked', fault.description)
  if (fault.cause === 'dns') return createFailure('dns', capitalize(`${fault.description}: ${host}`))
  return createFailure(
    fault.cause,
    capitalize(endpoint === null ? fault.description : describeFaultAt(fault, endpoint)),
  )
}

function capitalize(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}

const shortages: Record<string, string> = {
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
  ENOBUFS: 'no memory for connections',
  ENOMEM: 'out of memory',
  EADDRNOTAVAIL: 'no free port, or no local address with the IP version of the target',
}

/** Returns an inconclusive result if this machine lacks a resource, because that says nothing about the target. */
export function findShortageResult(error: NodeJS.ErrnoException): Inconclusive | undefined {
  const shortage = shortages[error.code ?? '']
  if (shortage === undefined) return undefined
  return { inconclusive: `Check couldn't run: problem on the Belfry server (${shortage}, ${error.code})` }
}
