/** What one check found, in words. */
import type { ComponentChildren } from 'preact'
import type { CheckRecord } from '../../src/checker/schema.ts'
import { toSentence, causeTexts } from '../lib/causes.ts'
import { formatRelativeTime, formatDate, formatMs, formatPercent } from '../lib/format.ts'
import { Button } from './button.tsx'
import { Phases } from './check-phases.tsx'
import './check-result.css'

function titleOf({ ok, http_status: status, response_ms: ms, cause }: CheckRecord): string {
  if (ok === null) return 'Nothing is known: the fault is on the side of this server'
  if (!ok) return cause === null ? 'It failed' : causeTexts[cause].title
  return status === null ? `It answers, in ${formatMs(ms)}` : `It works: status ${status} in ${formatMs(ms)}`
}

const tones = { true: 'notice-good', false: 'notice-bad', null: 'notice-warn' }

interface CheckResultProps {
  result: CheckRecord
  /** Said below it. */
  children?: ComponentChildren
  onClose?: () => void
}

export function CheckResult({ result, children, onClose }: CheckResultProps) {
  const { ok, cause, detail } = result
  return (
    <div class={`notice check-result ${tones[`${ok}`]}`}>
      <div class="stack">
        <p>
          <strong>{titleOf(result)}</strong>
        </p>
        {detail !== null && <p>{toSentence(detail)}</p>}
        {cause !== null && <p>{causeTexts[cause].text}</p>}
        {ok === null && <p>It says nothing about the address. A monitor stays as it is until this is mended.</p>}
        <Phases check={result} />
        <Facts result={result} />
        {children}
      </div>
      {onClose && (
        <Button kind="quiet" small onClick={onClose} aria-label="Close the result">
          ✕
        </Button>
      )}
    </div>
  )
}

function Facts({ result: { tls_expires_at: expires, packet_loss: loss } }: { result: CheckRecord }) {
  if (expires === null && loss === null) return null
  return (
    <dl class="check-result-facts numbers">
      {loss !== null && (
        <div>
          <dt>Packets lost</dt>
          <dd>{formatPercent(loss)}</dd>
        </div>
      )}
      {expires !== null && (
        <div>
          <dt>Certificate ends</dt>
          <dd>
            {formatDate(expires)} ({formatRelativeTime(expires)})
          </dd>
        </div>
      )}
    </dl>
  )
}
