/**
 * Lists the monitors for the domain registration and the certificate of a website. A button adds those that don't exist
 * yet.
 */
import { CircleAlert } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { toDisplayHost } from '../lib/address.ts'
import { api } from '../lib/api.ts'
import { type WatchTarget, watchTargets } from '../lib/domain-watch.ts'
import { pluralize } from '../lib/format.ts'
import { monitorTypeInfo } from '../lib/monitor-types.ts'
import { type OverviewMonitor, queryClient, queryKeys } from '../lib/queries.ts'
import { showProblem, showToast } from '../lib/toasts.ts'
import { useWatchedTargets } from '../lib/use-watched-targets.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { Skeleton } from './states.tsx'
import { StatusDot } from './status.tsx'
import './domain-watch.css'

interface WatchedWebsite {
  id: number
  domain: string
}

const watchLabels: Record<WatchTarget['type'], string> = { domain: 'domain', tls: 'certificate' }

export function DomainWatch({ website }: { website: WatchedWebsite }) {
  const targets = useWatchedTargets(website)
  const [isBusy, setBusy] = useState(false)
  const [errors, setErrors] = useState<Partial<Record<WatchTarget['type'], string>>>({})
  if (targets === undefined) return <Skeleton height="5rem" />
  const missingTargets = targets.filter(({ monitor }) => monitor === undefined).map(({ target }) => target)

  async function watch() {
    setBusy(true)
    const result = await watchTargets(missingTargets)
    setErrors(result.errors)
    await queryClient.invalidateQueries({ queryKey: queryKeys.overview })
    setBusy(false)
    const ids = result.created.map(({ id }) => id)
    if (ids.length > 0) showToast(`${pluralize(ids.length, 'monitor')} added.`, { undo: () => void remove(ids) })
  }

  return (
    <div class="domain-watch">
      <ul>
        {targets.map(({ target, monitor }) => (
          <WatchRow key={target.type} target={target} monitor={monitor} error={errors[target.type]} />
        ))}
      </ul>
      {missingTargets.length > 0 && (
        <Button needs="edit" busy={isBusy} onClick={() => void watch()}>
          Watch {missingTargets.map(({ type }) => watchLabels[type]).join(' and ')}
        </Button>
      )}
    </div>
  )
}

async function remove(ids: readonly number[]): Promise<void> {
  try {
    await api.post('api/monitors/bulk', { ids, action: 'delete' })
    showToast(`${pluralize(ids.length, 'monitor')} removed.`)
  } catch (error) {
    showProblem(error)
  }
  void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
}

interface WatchRowProps {
  target: WatchTarget
  monitor: OverviewMonitor | undefined
  error: string | undefined
}

function WatchRow({ target: { type, url }, monitor, error }: WatchRowProps) {
  const { icon, label } = monitorTypeInfo[type]
  return (
    <li>
      <Icon icon={icon} />
      <span class="domain-watch-name">
        {label} <span class="muted">{toDisplayHost(url)}</span>
      </span>
      {monitor ? (
        <Link href={`/monitors/${monitor.id}`} class="domain-watch-state">
          <StatusDot monitor={monitor} />
          {monitor.friendly_name}
        </Link>
      ) : (
        <span class="domain-watch-state muted">Not watched</span>
      )}
      {error !== undefined && monitor === undefined && (
        <div class="field-error" role="alert">
          <Icon icon={CircleAlert} size={14} />
          {error}
        </div>
      )}
    </li>
  )
}
