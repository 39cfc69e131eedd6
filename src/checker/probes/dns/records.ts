/** Finds the records in an answer and compares them with the expected ones. */
import type { Answer, CaaData, MxData, SoaData, SrvData, TxtData } from 'dns-packet'
import { truncate } from '../../../lib/text.ts'
import { dnsRecordFormats, normalizeDnsName } from '../../../monitors/dns-records.ts'
import type { DnsOptions } from '../../../monitors/option-schemas.ts'
import type { DnsRecordType } from '../../../shared/monitors.ts'

const MAX_ALIASES = 16
const MAX_RECORDS_SHOWN = 3
const MAX_RECORD_LENGTH_SHOWN = 60

type DataAnswer = Extract<Answer, { data: unknown }>

/** Lists the records of the name and of the names it is an alias of, as text. Ignores records of unrelated names. */
export function listRecords(answers: readonly Answer[], name: string, type: DnsRecordType): string[] {
  const dataAnswers = answers.filter(
    (answer): answer is DataAnswer => 'data' in answer && 'class' in answer && answer.class === 'IN',
  )
  const owners = type === 'CNAME' ? new Set([normalizeDnsName(name)]) : followAliases(dataAnswers, name)
  const records = dataAnswers
    .filter((answer) => answer.type === type && owners.has(normalizeDnsName(answer.name)))
    .map((answer) => toRecordText(type, answer.data))
  return [...new Set(records)].sort()
}

function followAliases(answers: readonly DataAnswer[], name: string): Set<string | undefined> {
  const aliases = new Map(
    answers
      .filter(({ type }) => type === 'CNAME')
      .map(({ name, data }) => [normalizeDnsName(name), normalizeDnsName(String(data))]),
  )
  const owners = new Set<string | undefined>()
  let owner = normalizeDnsName(name)
  while (owner !== undefined && !owners.has(owner) && owners.size <= MAX_ALIASES) {
    owners.add(owner)
    owner = aliases.get(owner)
  }
  return owners
}

function toRecordText(type: DnsRecordType, data: unknown): string {
  const text = formatRecordData(type, data)
  // A TXT record is compared as it is: quotes are part of its text.
  return type === 'TXT' ? text : (dnsRecordFormats[type].normalize(text) ?? text)
}

function formatRecordData(type: DnsRecordType, data: unknown): string {
  switch (type) {
    case 'MX': {
      const { preference, exchange } = data as MxData
      return `${preference} ${exchange}`
    }
    case 'SRV': {
      const { priority, weight, port, target } = data as SrvData
      return `${priority} ${weight} ${port} ${target}`
    }
    case 'SOA': {
      const { mname, rname, serial, refresh, retry, expire, minimum } = data as SoaData
      return `${mname} ${rname} ${serial} ${refresh} ${retry} ${expire} ${minimum}`
    }
    case 'CAA': {
      const { flags, tag, value } = data as CaaData
      return `${flags} ${tag} "${value}"`
    }
    case 'TXT':
      return Buffer.concat([data as TxtData].flat().map((part) => Buffer.from(part))).toString()
    default:
      return String(data)
  }
}

/** Returns what is wrong with the records, or undefined if they match. */
export function findMismatch(records: readonly string[], { record, expected, match }: DnsOptions): string | undefined {
  if (expected === null) return undefined
  const recordSet = new Set(records)
  const isExpected = (text: string) => recordSet.has(text)
  const isMatch = {
    any: () => expected.some(isExpected),
    all: () => expected.every(isExpected),
    exact: () => expected.every(isExpected) && records.every((text) => expected.includes(text)),
  }[match]()
  if (isMatch) return undefined
  const quantity =
    expected.length === 1 && match !== 'exact' ? '' : { any: 'one of ', all: 'all of ', exact: 'exactly ' }[match]
  const subject = records.length === 1 ? `${record} record is` : `${record} records are`
  return `${subject} ${formatRecords(records)}, expected ${quantity}${formatRecords(expected)}`
}

export function formatRecords(records: readonly string[]): string {
  const shownRecords = records.slice(0, MAX_RECORDS_SHOWN).map((text) => {
    const start = truncate(text, MAX_RECORD_LENGTH_SHOWN)
    return start === text ? text : `${start}…`
  })
  const hiddenCount = records.length - shownRecords.length
  return hiddenCount > 0 ? `${shownRecords.join(', ')} and ${hiddenCount} more` : shownRecords.join(', ')
}
