/** A probe takes a target and returns a result. A failed check is a value; only a bug throws. */

import type { HeartbeatUpdate } from '../../heartbeats/evaluate.ts'
import type { HttpSettings } from '../../monitors/http-schema.ts'
import type { DnsOptions, DomainOptions, TcpOptions, TlsOptions } from '../../monitors/option-schemas.ts'
import type { Cause } from '../../shared/causes.ts'
import type { Diagnosis } from '../../shared/impact.ts'

export interface HttpTarget {
  type: 'http'
  url: string
  /** The owner of the check. Users take turns in the thread that tests JSON. */
  teamId: number
  timeoutMs: number
  http: HttpSettings
  /** Receives the decompressed body of the last response, up to the limit of `readBody`. */
  onBody?: (chunk: Buffer) => void
}

export interface PingTarget {
  type: 'ping'
  /** A host name or an IP address. */
  url: string
  /** The owner of the check. Users share the ping processes fairly. */
  teamId: number
  timeoutMs: number
}

export interface TcpTarget {
  type: 'tcp'
  /** `host:port` */
  url: string
  timeoutMs: number
  tcp: TcpOptions
}

export interface DnsTarget {
  type: 'dns'
  /** The name to look up. */
  url: string
  timeoutMs: number
  dns: DnsOptions
}

export interface TlsTarget {
  type: 'tls'
  /** `host`, or `host:port` if the port is not 443. */
  url: string
  timeoutMs: number
  tls: TlsOptions
}

export interface DomainTarget {
  type: 'domain'
  /** A domain that can be registered. */
  url: string
  /** The owner of the check. Users take turns to ask a registry. */
  teamId: number
  timeoutMs: number
  domain: DomainOptions
}

/** A heartbeat is not probed over the network: the beats in the database show whether one is missing. */
export interface HeartbeatTarget {
  type: 'heartbeat'
  url: string
  teamId: number
  monitorId: number | null
  timeoutMs: number
}

/** A website whose visits are watched. */
export interface TrafficTarget {
  type: 'traffic'
  /** The home page of the website. */
  url: string
  teamId: number
  monitorId: number | null
  timeoutMs: number
}

export type Target =
  | HttpTarget
  | PingTarget
  | TcpTarget
  | DnsTarget
  | TlsTarget
  | DomainTarget
  | HeartbeatTarget
  | TrafficTarget

/**
 * How long each phase took. A phase is null if the check skipped it or failed before completing it. After redirects,
 * these are the phases of the last request.
 */
export interface PhaseTimings {
  dnsMs: number | null
  connectMs: number | null
  tlsMs: number | null
  firstByteMs: number | null
}

export interface CheckFailure {
  cause: Cause
  /** A human-readable sentence without a full stop. */
  detail: string
}

export interface ProbeResult {
  /** null if the check succeeded. */
  failure: CheckFailure | null
  /** What the owner should know about a successful check: a sentence without a full stop. */
  note: string | null
  /**
   * Time from the start of the check to its result. For type ping, the mean round-trip time; for type domain, the time
   * of the requests; for type heartbeat, the duration of the run. null if the target did not respond.
   */
  responseMs: number | null
  timings: PhaseTimings
  httpStatus: number | null
  /**
   * Expiry of the certificate that the server presented, whether it was valid or not. For type domain, the expiry of its
   * registration.
   */
  expiresAt: Date | null
  /** Percent; null unless the check was a ping. */
  packetLoss: number | null
  /** The last IP address that the probe connected to or tried to connect to. */
  address: string | null
  /** Whether the target sent any response. Even an error response proves that our own network works. */
  responded: boolean
  /** Set only for type heartbeat. */
  heartbeat?: HeartbeatUpdate
  /** Set only for type traffic. */
  traffic?: TrafficUpdate
}

/** What a check of type traffic found, besides its result. */
export interface TrafficUpdate {
  nextDueAt: Date
  /** null while visits arrive. */
  silence: Silence | null
}

export interface Silence {
  diagnosis: Diagnosis
  /** When the silence began: directly after the last visit. */
  since: Date
  /** The result of fetching the home page. */
  page: ProbeResult
}

/**
 * The check found nothing new, so the monitor keeps its status, and its history gets no result of this check. Only for types heartbeat
 * and traffic.
 */
export interface Unchanged {
  /** A sentence without a full stop. */
  unchanged: string
  nextDueAt: Date
  /** Set only for type heartbeat. */
  heartbeat?: HeartbeatUpdate
}

/**
 * The check has no result this time, because of a problem on our side or at a registry. That says nothing about the
 * target.
 */
export interface Inconclusive {
  inconclusive: string
  /** Set only after a problem at a registry: how long to wait before the next check. The monitor then shows `inconclusive` as its last error. */
  retryAfterMs?: number
}

/**
 * The check can't run at all: this machine can't run checks of this type, or the registry of a domain offers no RDAP.
 */
export interface Unsupported {
  unsupported: string
}

export type RunProbe<T extends Target> = (target: T) => Promise<ProbeResult | Inconclusive | Unsupported>

export interface Probe<T extends Target> {
  check: RunProbe<T>
  /** Ends running checks as inconclusive. */
  close(): void
}

/** The probe for targets of all types. */
export interface CombinedProbe {
  check(target: Target): Promise<ProbeResult | Unchanged | Inconclusive | Unsupported>
  close(): void
}

export const noTimings: PhaseTimings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null }

/** The result of a successful check that measured nothing. */
export const emptyResult: ProbeResult = {
  failure: null,
  note: null,
  responseMs: null,
  timings: noTimings,
  httpStatus: null,
  expiresAt: null,
  packetLoss: null,
  address: null,
  responded: false,
}

/** The largest value of PostgreSQL's integer type: almost 25 days. */
const MAX_RESPONSE_MS = 2 ** 31 - 1

/** The response time of a heartbeat is how long its job ran. */
export const toResponseMs = (durationMs: number | null) =>
  durationMs === null ? null : Math.min(durationMs, MAX_RESPONSE_MS)
