/** The result of one check, described in words. */
import { CircleCheck, CircleX, type LucideIcon, TriangleAlert, X } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import type { CheckRecord } from '../../src/checker/schema.ts'
import type { MonitorType } from '../../src/shared/monitors.ts'
import { causeTexts, toSentence } from '../lib/causes.ts'
import { formatDate, formatMs, formatPercentage, formatRelativeTime } from '../lib/format.ts'
import { AllowAddress } from './allow-address.tsx'
import { Button } from './button.tsx'
import { CheckPhases } from './check-phases.tsx'
import { Icon } from './icon.tsx'
import './check-result.css'

function describeResult({ ok, http_status: status, response_ms: ms, cause }: CheckRecord): string {
  if (ok === null) return "Check couldn't run: problem on the Belfry server"
  if (!ok) return cause === null ? 'Check failed' : causeTexts[cause].title
  return status === null ? `Check passed in ${formatMs(ms)}` : `Check passed: status ${status} in ${formatMs(ms)}`
}

const styleByResult: Record<`${CheckRecord['ok']}`, { tone: string; icon: LucideIcon }> = {
  true: { tone: 'good', icon: CircleCheck },
  false: { tone: 'bad', icon: CircleX },
  null: { tone: 'warn', icon: TriangleAlert },
}

interface CheckResultProps {
  result: CheckRecord
  type: MonitorType
  /** Shown below the result. */
  children?: ComponentChildren
  onClose?: () => void
}

export function CheckResult({ result, type, children, onClose }: CheckResultProps) {
  const { ok, cause, detail } = result
  const { tone, icon } = styleByResult[`${ok}`]
  return (
    <div class={`panel check-result check-result-${tone}`}>
      <span class="check-result-icon">
        <Icon icon={icon} size={18} />
      </span>
      <div class="check-result-body">
        <div class="check-result-text">
          <p>
            <strong>{describeResult(result)}</strong>
          </p>
          {detail !== null && <p>{toSentence(detail)}</p>}
          {cause !== null && <p class="muted">{causeTexts[cause].explanation}</p>}
          {cause === 'blocked' && <AllowAddress detail={detail} />}
          {ok === null && (
            <p class="muted">
              This doesn't mean the target is down. Monitors keep their current status until the problem is fixed.
            </p>
          )}
        </div>
        <CheckPhases check={result} />
        <PacketLossAndExpiry result={result} type={type} />
        {children}
      </div>
      {onClose && <Button kind="quiet" small icon={X} onClick={onClose} aria-label="Close result" />}
    </div>
  )
}

function PacketLossAndExpiry({ result, type }: Pick<CheckResultProps, 'result' | 'type'>) {
  const { packet_loss: loss } = result
  const expiresAt = result.tls_expires_at ?? result.domain_expires_at
  if (expiresAt === null && loss === null) return null
  return (
    <dl class="check-result-facts small">
      {loss !== null && (
        <div>
          <dt>Packet loss</dt>
          <dd>{formatPercentage(loss)}</dd>
        </div>
      )}
      {expiresAt !== null && (
        <div>
          <dt>{type === 'domain' ? 'Registration expires' : 'Certificate expires'}</dt>
          <dd>
            {formatDate(expiresAt)} ({formatRelativeTime(expiresAt)})
          </dd>
        </div>
      )}
    </dl>
  )
}
