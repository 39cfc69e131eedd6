/** Turns the response of a DNS server into the result of a check. */
import type { DnsOptions } from '../../../monitors/option-schemas.ts'
import { createFailure, toPlainDetail } from '../failure.ts'
import type { CheckFailure } from '../probe.ts'
import type { DnsResponse } from './message.ts'
import { findMismatch, formatRecords, listRecords } from './records.ts'

/** Whether the server could not answer. NOERROR and NXDOMAIN are answers about the name. */
export const isServerFailure = ({ code }: DnsResponse) => code !== 'NOERROR' && code !== 'NXDOMAIN'

/** On success, `note` names the records. */
export function evaluateResponse(
  response: DnsResponse,
  name: string,
  options: DnsOptions,
  serverName: string,
): { failure: CheckFailure | null; note: string | null } {
  const { code, answers } = response
  const records = code === 'NOERROR' ? listRecords(answers, name, options.record) : []
  const problem =
    describeErrorCode(code, name, serverName) ??
    (records.length === 0 ? `${name} has no ${options.record} records` : findMismatch(records, options))
  if (problem !== undefined) return { failure: createFailure('dns', problem), note: null }
  return { failure: null, note: toPlainDetail(`${options.record}: ${formatRecords(records)}`) }
}

function describeErrorCode(code: string, name: string, serverName: string): string | undefined {
  switch (code) {
    case 'NOERROR':
      return undefined
    case 'NXDOMAIN':
      return `${name} does not exist (NXDOMAIN)`
    case 'SERVFAIL':
      return `${serverName} could not resolve ${name} (SERVFAIL)`
    case 'REFUSED':
      return `${serverName} refused to resolve ${name} (REFUSED)`
    default:
      return `${serverName} responded with an error for ${name} (${code})`
  }
}
