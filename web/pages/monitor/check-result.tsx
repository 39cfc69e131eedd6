/** What a check by hand found. */
import type { CheckRecord } from '../../../src/checker/schema.ts'
import { Button } from '../../components/button.tsx'
import { Phases } from '../../components/phases.tsx'
import { asSentence, causeWords } from '../../lib/causes.ts'
import { formatMs, formatPercent } from '../../lib/format.ts'
import { BlockedNote } from './blocked-note.tsx'

const looks = { good: 'notice-good', bad: 'notice-bad', unknown: 'notice-warn' }

export function CheckResult({ result, onClose }: { result: CheckRecord; onClose: () => void }) {
  const kind = result.ok === null ? 'unknown' : result.ok ? 'good' : 'bad'
  return (
    <div class={`notice monitor-result ${looks[kind]}`}>
      <div class="stack">
        <p>
          <strong>{headlineOf(result)}</strong> {result.detail !== null && asSentence(result.detail)}
        </p>
        {result.cause === 'blocked' && <BlockedNote />}
        <Phases check={result} />
      </div>
      <Button kind="quiet" small onClick={onClose} aria-label="Close the result">
        ✕
      </Button>
    </div>
  )
}

function headlineOf({ ok, cause, response_ms, http_status, packet_loss }: CheckRecord): string {
  if (ok === null) return 'Nothing is known: the fault is ours.'
  if (!ok) return cause === null ? 'Failed.' : `Failed: ${causeWords[cause].title.toLowerCase()}.`
  const what = [
    http_status !== null && `status ${http_status}`,
    packet_loss !== null && packet_loss > 0 && `${formatPercent(packet_loss)} of the packets lost`,
  ].filter((part) => typeof part === 'string')
  return [`Fine, in ${formatMs(response_ms)}`, ...what].join(', ').concat('.')
}
