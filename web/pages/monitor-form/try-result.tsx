/** What a try found, in words. */
import type { CheckRecord } from '../../../src/checker/schema.ts'
import { causeWords } from '../../lib/causes.ts'
import { formatAgo, formatDate, formatMs, formatPercent } from '../../lib/format.ts'

const phases = [
  ['dns_ms', 'Looking up the name'],
  ['connect_ms', 'Connecting'],
  ['tls_ms', 'Agreeing on encryption'],
  ['first_byte_ms', 'Waiting for the answer'],
] as const

function titleOf({ ok, http_status: status, response_ms: ms, cause }: CheckRecord): string {
  if (ok === null) return 'Nothing is known: the fault is on the side of this server'
  if (!ok) return cause === null ? 'It failed' : causeWords[cause].title
  return status === null ? `It answers, in ${formatMs(ms)}` : `It works: status ${status} in ${formatMs(ms)}`
}

const tones = { true: 'notice-good', false: 'notice-bad', null: 'notice-warn' }

/** The details begin in the middle of a sentence. */
const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`

export function TryResult({ result, isOld }: { result: CheckRecord; isOld: boolean }) {
  const { ok, cause, detail } = result
  return (
    <div class={`notice ${tones[`${ok}`]} monitor-form-result`}>
      <div class="stack">
        <p>
          <strong>{titleOf(result)}</strong>
        </p>
        {detail !== null && <p class="monitor-form-detail">{sentence(detail)}</p>}
        {cause !== null && <p>{causeWords[cause].text}</p>}
        {ok === null && <p>It says nothing about the address. A monitor would stay as it is until this is mended.</p>}
        <Times result={result} />
        {isOld && <p class="small">You have changed something since this try.</p>}
      </div>
    </div>
  )
}

function Times({ result }: { result: CheckRecord }) {
  const { tls_expires_at: expires, packet_loss: loss } = result
  const timed = phases.filter(([name]) => result[name] !== null)
  if (timed.length === 0 && expires === null && loss === null) return null
  return (
    <dl class="monitor-form-times numbers">
      {timed.map(([name, label]) => (
        <div key={name}>
          <dt>{label}</dt>
          <dd>{formatMs(result[name])}</dd>
        </div>
      ))}
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
            {formatDate(expires)} ({formatAgo(expires)})
          </dd>
        </div>
      )}
    </dl>
  )
}
