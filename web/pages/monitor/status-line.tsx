/** How it is, since when, and what is wrong. */
import { Link } from 'wouter-preact'
import type { CheckRecord } from '../../../src/checker/schema.ts'
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { CheckResult } from '../../components/check-result.tsx'
import { StatusLabel } from '../../components/status.tsx'
import { RelativeTime, DateTime } from '../../components/time.tsx'
import { toSentence, causeTexts } from '../../lib/causes.ts'
import { formatMs } from '../../lib/format.ts'
import type { Check } from './queries.ts'
import { pendingWords } from './labels.ts'

interface StatusLineProps {
  monitor: MonitorRecord
  lastCheck: Check | undefined
  /** Of the registered website that it looks at. */
  domain: string | undefined
  /** Of a check by hand; gone as soon as a later check knows better. */
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
          <span class="muted">{pendingWords(monitor)}</span>
        ) : (
          <span class="muted">
            since <DateTime at={status_changed_at} hasSeconds />
          </span>
        )}
        {last_checked_at !== null && (
          <span class="muted">
            checked <RelativeTime at={last_checked_at} />
            {last_response_ms !== null && (
              <>
                {' in '}
                <span class="numbers">{formatMs(last_response_ms)}</span>
              </>
            )}
          </span>
        )}
      </p>
      <p class="row">
        <Target monitor={monitor} />
        {domain !== undefined && <Link href={`/${domain}`}>Traffic of {domain}</Link>}
      </p>
      <Failure monitor={monitor} lastCheck={lastCheck} />
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

/** Also of a check that failed and is not yet confirmed by others. */
function Failure({ monitor: { status, last_error }, lastCheck }: Pick<StatusLineProps, 'monitor' | 'lastCheck'>) {
  if (last_error === null || status === 'paused') return null
  const cause = lastCheck?.detail === last_error ? lastCheck.cause : null
  return (
    <div class={`notice ${status === 'down' ? 'notice-bad' : 'notice-warn'}`}>
      <div>
        <strong>{cause === null ? 'The last check failed' : causeTexts[cause].title}.</strong> {toSentence(last_error)}
        {status !== 'down' && ' Further checks will tell whether it is down.'}
        {cause === 'blocked' && <p class="small">{causeTexts.blocked.explanation}</p>}
      </div>
    </div>
  )
}
