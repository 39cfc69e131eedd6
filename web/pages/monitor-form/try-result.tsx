/** What a try found, in words. */
import type { CheckRecord } from '../../../src/checker/schema.ts'
import { Phases } from '../../components/phases.tsx'
import { asSentence, causeWords } from '../../lib/causes.ts'
import { formatAgo, formatDate, formatMs, formatPercent } from '../../lib/format.ts'

function titleOf({ ok, http_status: status, response_ms: ms, cause }: CheckRecord): string {
  if (ok === null) return 'Nothing is known: the fault is on the side of this server'
  if (!ok) return cause === null ? 'It failed' : causeWords[cause].title
  return status === null ? `It answers, in ${formatMs(ms)}` : `It works: status ${status} in ${formatMs(ms)}`
}

const tones = { true: 'notice-good', false: 'notice-bad', null: 'notice-warn' }

export function TryResult({ result, isOld }: { result: CheckRecord; isOld: boolean }) {
  const { ok, cause, detail } = result
  return (
    <div class={`notice ${tones[`${ok}`]} monitor-form-result`}>
      <div class="stack">
        <p>
          <strong>{titleOf(result)}</strong>
        </p>
        {detail !== null && <p class="monitor-form-detail">{asSentence(detail)}</p>}
        {cause !== null && <p>{causeWords[cause].text}</p>}
        {ok === null && <p>It says nothing about the address. A monitor would stay as it is until this is mended.</p>}
        <Phases check={result} />
        <Facts result={result} />
        {isOld && <p class="small">You have changed something since this try.</p>}
      </div>
    </div>
  )
}

function Facts({ result: { tls_expires_at: expires, packet_loss: loss } }: { result: CheckRecord }) {
  if (expires === null && loss === null) return null
  return (
    <dl class="monitor-form-facts numbers">
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
