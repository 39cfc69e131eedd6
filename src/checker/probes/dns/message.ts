/** Encodes queries and decodes responses (RFC 1035, with EDNS of RFC 6891). */
import { randomInt } from 'node:crypto'
import dnsPacket, { type DecodedPacket } from 'dns-packet'
import { normalizeDnsName } from '../../../monitors/dns-records.ts'
import type { DnsRecordType } from '../../../shared/monitors.ts'

export interface DnsQuery {
  id: number
  name: string
  type: DnsRecordType
  usesEdns: boolean
  bytes: Buffer
}

export interface DnsResponse {
  /** A code such as NOERROR, NXDOMAIN or SERVFAIL. */
  code: string
  /** Whether the response did not fit into a UDP packet. */
  isTruncated: boolean
  answers: readonly dnsPacket.Answer[]
}

/** This size fits into one packet on nearly every path, so that a response is not fragmented. */
const EDNS_PAYLOAD_BYTES = 1_232
/**
 * Decoding follows the compression pointers of every name, and a hostile server can chain thousands of them. With both limits,
 * decoding the worst message takes less than 10 ms.
 */
export const MAX_MESSAGE_BYTES = 8_192
const MAX_ANSWERS = 100
const HEADER_BYTES = 12

export function createQuery(name: string, type: DnsRecordType, { usesEdns = true } = {}): DnsQuery {
  const id = randomInt(65_536)
  const bytes = dnsPacket.encode({
    type: 'query',
    id,
    flags: dnsPacket.RECURSION_DESIRED,
    questions: [{ type, class: 'IN', name }],
    additionals: usesEdns
      ? [
          {
            type: 'OPT',
            name: '.',
            udpPayloadSize: EDNS_PAYLOAD_BYTES,
            flags: 0,
            options: [],
          } as unknown as dnsPacket.Answer,
        ]
      : [],
  })
  return { id, name, type, usesEdns, bytes }
}

/** Whether a message claims to be the response to this query. Anybody can send packets with other ids, so those are ignored. */
export function hasIdOf(query: DnsQuery, message: Buffer): boolean {
  return message.length >= HEADER_BYTES && message.readUInt16BE(0) === query.id && (message[2] as number) >= 0x80
}

/** Returns the response, or what is wrong with the message if it is not a valid response to this query. */
export function decodeResponse(query: DnsQuery, message: Buffer): DnsResponse | 'malformed' | 'for another question' {
  if (message.length > MAX_MESSAGE_BYTES || message.readUInt16BE(6) > MAX_ANSWERS) return 'malformed'
  let packet: DecodedPacket
  try {
    packet = dnsPacket.decode(withoutOtherSections(message))
  } catch {
    return 'malformed'
  }
  const { questions = [], answers = [] } = packet
  const { rcode: code } = packet as DecodedPacket & { rcode: string }
  // A server that can't read the query can't repeat its question either, so an error response may have no question.
  const isErrorWithoutQuestion = code !== 'NOERROR' && code !== 'NXDOMAIN' && questions.length === 0
  if (!isErrorWithoutQuestion && !repeatsQuestion(query, questions)) return 'for another question'
  return { code, isTruncated: packet.flag_tc, answers }
}

/** Sets the counts of the authority and additional sections to 0, so that these sections, which nobody uses, are not decoded. */
function withoutOtherSections(message: Buffer): Buffer {
  const copy = Buffer.from(message)
  copy.writeUInt32BE(0, 8)
  return copy
}

function repeatsQuestion({ name, type }: DnsQuery, questions: readonly dnsPacket.Question[]): boolean {
  const [question] = questions
  if (question === undefined || questions.length > 1) return false
  return normalizeDnsName(question.name) === normalizeDnsName(name) && question.type === type && question.class === 'IN'
}
