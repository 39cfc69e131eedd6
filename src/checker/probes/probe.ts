/** What every kind of check is made of: a target goes in, a finding comes out. A failed check is a value, not an exception. */

import type { HttpSettings } from '../../monitors/http-schema.ts'
import type { Cause } from '../../shared/causes.ts'

export interface HttpTarget {
  type: 'http'
  url: string
  timeoutMs: number
  http: HttpSettings
}

export interface PingTarget {
  type: 'ping'
  /** A host or an address. */
  url: string
  timeoutMs: number
  http: null
}

export type Target = HttpTarget | PingTarget

/** How long each part took; null where it was not needed or not reached. Of the last hop, where there were redirects. */
export interface Timings {
  dnsMs: number | null
  connectMs: number | null
  tlsMs: number | null
  firstByteMs: number | null
}

export interface Finding {
  /** null: all is well. The detail is a sentence without its end, for people. */
  failure: { cause: Cause; detail: string } | null
  /** From the beginning until we knew; null where nothing answered. */
  responseMs: number | null
  timings: Timings
  httpStatus: number | null
  /** Of the certificate that was shown, valid or not. */
  tlsExpiresAt: Date | null
  /** In percent; only of a ping. */
  packetLoss: number | null
  /** The address that was dialled last. */
  address: string | null
  /** Something answered: whatever it said, our own network works. */
  answered: boolean
}

/** Something of ours was in the way this time, which says nothing about the target. */
export interface Unknown {
  unknown: string
}

/** This machine cannot do such checks at all, now or later. */
export interface Unable {
  unable: string
}

export type Probe<T extends Target = Target> = (target: T) => Promise<Finding | Unknown | Unable>

export interface OpenProbe<T extends Target = Target> {
  check: Probe<T>
  /** Whatever is under way ends at once, as something that nothing is known of. */
  close(): void
}

export const noTimings: Timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null }
