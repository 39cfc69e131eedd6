/** The current status, how long it has lasted, and the result of the last check. */
import {
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleX,
  ExternalLink,
  FlaskConical,
  type LucideIcon,
} from 'lucide-preact'
import { Link } from 'wouter-preact'
import type { CheckRecord } from '../../../src/checker/schema.ts'
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import type { MonitorStatus } from '../../../src/shared/monitors.ts'
import { AllowAddress } from '../../components/allow-address.tsx'
import { CheckResult } from '../../components/check-result.tsx'
import { DurationSince } from '../../components/duration-since.tsx'
import { Icon } from '../../components/icon.tsx'
import { MaintenanceBadge } from '../../components/maintenance-badge.tsx'
import { TagLinks } from '../../components/tag-list.tsx'
import { DateTime, RelativeTime } from '../../components/time.tsx'
import { toDisplayHost } from '../../lib/address.ts'
import { causeTexts, toSentence } from '../../lib/causes.ts'
import { useConnectionState } from '../../lib/connection.ts'
import { formatMs } from '../../lib/format.ts'
import { getStatusLabel, statusLabels } from '../../lib/monitor-status.ts'
import { describeTarget, hasResponseTimes, isProbed, monitorTypeInfo } from '../../lib/monitor-types.ts'
import { describeBeatSchedule } from './describe-beat-schedule.ts'
import { describePending } from './labels.ts'
import { MaintenanceNotice } from './maintenance-notice.tsx'
import type { RecentCheck } from './queries.ts'
import './status-line.css'

interface StatusLineProps {
  monitor: MonitorRecord
  lastCheck: RecentCheck | undefined
  /** Domain of the website that the monitor checks, if the user has added that website. */
  domain: string | undefined
  /** Result of "Check now". Hidden once a later check exists. */
  result: CheckRecord | undefined
  onClose: () => void
}

const statusIcons: Record<MonitorStatus, LucideIcon> = {
  up: CircleCheck,
  down: CircleX,
  pending: CircleDashed,
  paused: CirclePause,
}

/** A traffic monitor says nothing about whether the website is up. */
const trafficStatusLabels = { ...statusLabels, up: 'Visits arriving', down: 'No visits' }

export function StatusLine({ monitor, lastCheck, domain, result, onClose }: StatusLineProps) {
  const { type, status, last_checked_at, in_maintenance, tags, is_sample } = monitor
  const statusText = type === 'traffic' ? trafficStatusLabels[status] : getStatusLabel(monitor)
  return (
    <div class="monitor-status">
      <div class={`panel monitor-state monitor-state-${status}`}>
        <span class="monitor-state-icon">
          <Icon icon={is_sample ? FlaskConical : statusIcons[status]} size={28} />
        </span>
        <div class="monitor-state-text">
          <p class="row">
            <span class={`status status-${status}`}>{statusText}</span>
            {in_maintenance && <MaintenanceBadge />}
            {!is_sample && <LiveMark />}
          </p>
          <p class="muted">{is_sample ? <SampleSince monitor={monitor} /> : <StatusSince monitor={monitor} />}</p>
          <TagLinks tags={tags} />
        </div>
        <div class="monitor-facts small">
          <Target monitor={monitor} />
          <LastCheck monitor={monitor} />
          {domain !== undefined && <Link href={`/${domain}`}>Statistics for {toDisplayHost(domain)}</Link>}
        </div>
      </div>
      <MaintenanceNotice monitor={monitor} />
      <FailureNotice monitor={monitor} lastCheck={lastCheck} />
      <div role="status">
        {result && (last_checked_at ?? '') <= result.checked_at && (
          <CheckResult result={result} type={type} onClose={onClose} />
        )}
      </div>
    </div>
  )
}

/** Says that the page updates automatically. */
function LiveMark() {
  if (useConnectionState() !== 'connected') return null
  return (
    <span class="monitor-live small muted">
      <span class="monitor-live-dot" aria-hidden="true" />
      Live
    </span>
  )
}

function SampleSince({ monitor: { created_at, last_checked_at } }: { monitor: MonitorRecord }) {
  return (
    <>
      Generated checks from <DateTime at={created_at} /> to <DateTime at={last_checked_at ?? created_at} />
    </>
  )
}

function StatusSince({ monitor }: { monitor: MonitorRecord }) {
  const { status, status_changed_at, down_since } = monitor
  if (status === 'pending') return <>{describePending(monitor)}</>
  const since = down_since ?? status_changed_at
  return (
    <>
      for{' '}
      <span class="numbers">
        <DurationSince since={since} />
      </span>
      , since <DateTime at={since} hasSeconds />
    </>
  )
}

/**
 * Shown only for monitors whose targets get requests from Belfry. The last beat of a heartbeat has its own tile. A
 * traffic monitor is checked only once a day, and when visits stop or return.
 */
function LastCheck({ monitor }: { monitor: MonitorRecord }) {
  const { type, last_checked_at, last_response_ms, is_sample } = monitor
  if (last_checked_at === null || is_sample || !isProbed(type)) return null
  return (
    <span class="muted">
      Checked <RelativeTime at={last_checked_at} />
      {last_response_ms !== null && hasResponseTimes(type) && (
        <>
          {' · '}
          <span class="numbers">{formatMs(last_response_ms)}</span>
        </>
      )}
    </span>
  )
}

function Target({ monitor: { type, url, heartbeat, dns, is_sample } }: { monitor: MonitorRecord }) {
  const address = heartbeat ? describeBeatSchedule(heartbeat) : describeTarget({ type, url })
  // The address of a sample monitor leads nowhere.
  if (type !== 'http' || is_sample || !/^https?:/i.test(url)) {
    return (
      <span class="monitor-url monitor-target">
        <Icon icon={monitorTypeInfo[type].icon} size={14} />
        <span>
          <span class="hidden-text">{monitorTypeInfo[type].label}: </span>
          {dns ? `${address} ${dns.record}` : address}
        </span>
      </span>
    )
  }
  return (
    <a class="monitor-url" href={url} target="_blank" rel="noreferrer noopener">
      {address}
      <Icon icon={ExternalLink} size={13} />
    </a>
  )
}

/** Shown for an incident, and also for a failed check that retries haven't confirmed yet. */
function FailureNotice({
  monitor: { type, status, last_error },
  lastCheck,
}: Pick<StatusLineProps, 'monitor' | 'lastCheck'>) {
  if (last_error === null || status === 'paused') return null
  const cause = lastCheck?.detail === last_error ? lastCheck.cause : null
  return (
    <div class={`notice ${status === 'down' ? 'notice-bad' : 'notice-warn'}`}>
      <div>
        {type !== 'traffic' && <strong>{cause === null ? 'Last check failed' : causeTexts[cause].title}. </strong>}
        {toSentence(last_error)}
        {status !== 'down' && isProbed(type) && ' Belfry will retry before opening an incident.'}
        {cause === 'blocked' && (
          <>
            <p class="small">{causeTexts.blocked.explanation}</p>
            <AllowAddress detail={last_error} />
          </>
        )}
      </div>
    </div>
  )
}
