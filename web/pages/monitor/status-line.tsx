/** The current status, its start time, and the last error. */
import { Link } from 'wouter-preact'
import type { CheckRecord } from '../../../src/checker/schema.ts'
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { CheckResult } from '../../components/check-result.tsx'
import { StatusLabel } from '../../components/status.tsx'
import { DateTime, RelativeTime } from '../../components/time.tsx'
import { causeTexts, toSentence } from '../../lib/causes.ts'
import { formatMs } from '../../lib/format.ts'
import { describePending } from './labels.ts'
import type { RecentCheck } from './queries.ts'

interface StatusLineProps {
  monitor: MonitorRecord
  lastCheck: RecentCheck | undefined
  /** Domain of the website that the monitor checks, if the user has added it. */
  domain: string | undefined
  /** Result of "Check now". Hidden once a later check exists. */
  result: CheckRecord | undefined
  onClose: () => void
}

export function StatusLine({ monitor, lastCheck, domain, result, onClose }: StatusLineProps) {
  const { status, status_changed_at, last_checked_at, last_response_ms } = monitor
  return (
    <div class="monitor-status">
      <p class="row">
        <StatusLabel status={status} />
        {status === 'pending' ? (
          <span class="muted">{describePending(monitor)}</span>
        ) : (
          <span class="muted">
            since <DateTime at={status_changed_at} hasSeconds />
          </span>
        )}
        {last_checked_at !== null && (
          <span class="muted">
            Checked <RelativeTime at={last_checked_at} />
            {last_response_ms !== null && (
              <>
                {' · '}
                <span class="numbers">{formatMs(last_response_ms)}</span>
              </>
            )}
          </span>
        )}
      </p>
      <p class="row">
        <Target monitor={monitor} />
        {domain !== undefined && <Link href={`/${domain}`}>Traffic for {domain}</Link>}
      </p>
      <FailureNotice monitor={monitor} lastCheck={lastCheck} />
      <div role="status">
        {result && (last_checked_at ?? '') <= result.checked_at && <CheckResult result={result} onClose={onClose} />}
      </div>
    </div>
  )
}

function Target({ monitor: { type, url } }: { monitor: MonitorRecord }) {
  if (type !== 'http' || !/^https?:/i.test(url)) return <span class="monitor-url">{url}</span>
  return (
    <a class="monitor-url" href={url} target="_blank" rel="noreferrer noopener">
      {url}
    </a>
  )
}

/** Also shown for a failed check that retries haven't confirmed yet. */
function FailureNotice({ monitor: { status, last_error }, lastCheck }: Pick<StatusLineProps, 'monitor' | 'lastCheck'>) {
  if (last_error === null || status === 'paused') return null
  const cause = lastCheck?.detail === last_error ? lastCheck.cause : null
  return (
    <div class={`notice ${status === 'down' ? 'notice-bad' : 'notice-warn'}`}>
      <div>
        <strong>{cause === null ? 'Last check failed' : causeTexts[cause].title}.</strong> {toSentence(last_error)}
        {status !== 'down' && ' Belfry will retry before opening an incident.'}
        {cause === 'blocked' && <p class="small">{causeTexts.blocked.explanation}</p>}
      </div>
    </div>
  )
}
