/** How the pages name and describe each type of monitor. */
import {
  CalendarClock,
  Globe,
  HeartPulse,
  type LucideIcon,
  Plug,
  Radio,
  ShieldCheck,
  Signpost,
  Users,
} from 'lucide-preact'
import type { MonitorType } from '../../src/shared/monitors.ts'
import { toDisplayAddress, toDisplayHost } from './address.ts'
import type { OverviewMonitor } from './overview.ts'

interface MonitorTypeInfo {
  label: string
  /** What a monitor of this type checks, in a few words. */
  description: string
  icon: LucideIcon
}

export const monitorTypeInfo: Record<MonitorType, MonitorTypeInfo> = {
  http: { label: 'HTTP', description: 'Website or API', icon: Globe },
  ping: { label: 'Ping', description: 'Server or router', icon: Radio },
  tcp: { label: 'TCP port', description: 'Database or mail', icon: Plug },
  dns: { label: 'DNS', description: 'Domain records', icon: Signpost },
  tls: { label: 'Certificate', description: 'TLS expiry', icon: ShieldCheck },
  domain: { label: 'Domain', description: 'Expiry date', icon: CalendarClock },
  heartbeat: { label: 'Heartbeat', description: 'Cron job', icon: HeartPulse },
  traffic: { label: 'Traffic', description: 'Visits to a website', icon: Users },
}

/** What the monitor watches, for a line below its name. Lists don't contain the URL of a heartbeat, because it is a secret. */
export function describeTarget({ type, url }: { type: MonitorType; url: string }): string {
  if (type === 'heartbeat') return monitorTypeInfo.heartbeat.label
  return type === 'traffic' ? `Visits to ${toDisplayHost(getHost(url))}` : toDisplayAddress(url)
}

/** Returns the host of a URL. For a traffic monitor, this is the domain of its website. */
export const getHost = (url: string) => URL.parse(url)?.hostname ?? ''

export const responseTimeLabel = (type: MonitorType) => (type === 'heartbeat' ? 'Run duration' : 'Response time')

/**
 * Whether Belfry sends requests to check the target. A heartbeat waits for its job, and a traffic monitor watches the
 * visits to a website.
 */
export const isProbed = (type: MonitorType): type is ProbedType => type !== 'heartbeat' && type !== 'traffic'
export type ProbedType = Exclude<MonitorType, 'heartbeat' | 'traffic'>

/**
 * Whether the pages show how long a check took. For certificates and domains, only the expiry date matters. For
 * traffic, only the visits matter.
 */
export const hasResponseTimes = (type: MonitorType) => type !== 'tls' && type !== 'domain' && type !== 'traffic'

/**
 * The response time that lists and totals show, or null. How fast a failed check was says nothing about the target, and the
 * last check of a paused monitor can be old.
 */
export const getResponseMs = ({
  type,
  status,
  is_sample,
  last_response_ms,
}: Pick<OverviewMonitor, 'type' | 'status' | 'is_sample' | 'last_response_ms'>) =>
  hasResponseTimes(type) && (status === 'up' || is_sample) ? last_response_ms : null
