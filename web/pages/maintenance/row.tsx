import { CircleStop, Pencil, Repeat, Trash2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Button, ButtonLink } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { TagList } from '../../components/tag-list.tsx'
import { api } from '../../lib/api.ts'
import { formatDurationSeconds, formatMonthName, formatTimeRange, formatWeekday, pluralize } from '../../lib/format.ts'
import { describeNearDay } from '../../lib/maintenance-times.ts'
import { endMaintenance, type Maintenance, refetchMaintenances } from '../../lib/maintenances.ts'
import { useOverview } from '../../lib/queries.ts'
import { useServerNow } from '../../lib/server-clock.ts'
import { showToast } from '../../lib/toasts.ts'
import { describeRecurrence } from './schedule.ts'

export function MaintenanceRow({ maintenance }: { maintenance: Maintenance }) {
  const { title, note, state, recurrence } = maintenance
  return (
    <li class={`maintenance-row maintenance-${state}`}>
      <Day at={maintenance.starts_at} />
      <div class="maintenance-text">
        <h3 class="maintenance-title">{title}</h3>
        {recurrence && (
          <p class="small maintenance-schedule">
            <Icon icon={Repeat} size={13} />
            {describeRecurrence(recurrence)}
          </p>
        )}
        <p class="small muted numbers">
          {state === 'active' ? <RemainingTime maintenance={maintenance} /> : <Times maintenance={maintenance} />}
        </p>
        <Targets maintenance={maintenance} />
        {note && <p class="maintenance-note">{note}</p>}
      </div>
      <Actions maintenance={maintenance} />
      {state === 'active' && <Progress maintenance={maintenance} />}
    </li>
  )
}

/** Shows the day like a page of a calendar. The text beside it says the same. */
function Day({ at }: { at: string }) {
  const date = new Date(at)
  return (
    <span class="maintenance-day" aria-hidden="true">
      <span>{formatMonthName(date)}</span>
      <strong>{date.getDate()}</strong>
    </span>
  )
}

function Times({ maintenance: { starts_at, ends_at, recurrence, state } }: { maintenance: Maintenance }) {
  const nearDay = describeNearDay(starts_at)
  const day = (recurrence === null ? nearDay : nearDay?.toLowerCase()) ?? formatWeekday(starts_at)
  const prefix = recurrence === null ? '' : state === 'past' ? 'Last: ' : 'Next: '
  const isOneDay = new Date(starts_at).toDateString() === new Date(ends_at).toDateString()
  const range = formatTimeRange(starts_at, ends_at)
  return <>{`${prefix}${isOneDay ? `${day}, ${range}` : range}`}</>
}

function RemainingTime({ maintenance: { starts_at, ends_at } }: { maintenance: Maintenance }) {
  const seconds = Math.max(0, Math.round((Date.parse(ends_at) - useServerNow(true)) / 1_000))
  return (
    <>
      {formatTimeRange(starts_at, ends_at)} · {formatDurationSeconds(seconds)} left
    </>
  )
}

function Progress({ maintenance: { starts_at, ends_at } }: { maintenance: Maintenance }) {
  const [start, end] = [Date.parse(starts_at), Date.parse(ends_at)]
  const share = Math.min(1, Math.max(0, (useServerNow(true) - start) / (end - start)))
  return (
    <span class="maintenance-progress" aria-hidden="true">
      <span style={{ '--share': share.toFixed(4) }} />
    </span>
  )
}

/** Shows the name of a single monitor, or the number of several monitors. */
function Targets({ maintenance: { all_monitors, monitor_ids, tags } }: { maintenance: Maintenance }) {
  const { data } = useOverview()
  const [onlyId] = monitor_ids
  const onlyMonitor = monitor_ids.length === 1 && data?.monitors.find(({ id }) => id === onlyId)
  return (
    <div class="maintenance-targets">
      {all_monitors && <span class="tag">All monitors</span>}
      {monitor_ids.length > 0 && (
        <span class="tag">{onlyMonitor ? onlyMonitor.friendly_name : pluralize(monitor_ids.length, 'monitor')}</span>
      )}
      <TagList tags={tags} />
    </div>
  )
}

function Actions({ maintenance }: { maintenance: Maintenance }) {
  const { id, title, state, recurrence } = maintenance
  const [isDeleting, setDeleting] = useState(false)
  const [isEnding, setEnding] = useState(false)
  async function end() {
    setEnding(true)
    await endMaintenance(maintenance)
    setEnding(false)
  }
  async function remove() {
    await api.delete(`api/maintenances/${id}`)
    setDeleting(false)
    showToast(`${title} deleted.`)
    await refetchMaintenances()
  }
  return (
    <div class="maintenance-row-actions">
      {state === 'active' && (
        <Button
          needs="edit"
          small
          icon={CircleStop}
          busy={isEnding}
          onClick={() => void end()}
          aria-label={`End now: ${title}`}
        >
          End now
        </Button>
      )}
      {(state !== 'past' || recurrence !== null) && (
        <ButtonLink needs="edit" small icon={Pencil} to={`/maintenance/${id}`}>
          Edit<span class="hidden-text"> {title}</span>
        </ButtonLink>
      )}
      <Button
        needs="edit"
        small
        kind="danger"
        icon={Trash2}
        onClick={() => setDeleting(true)}
        aria-label={`Delete ${title}`}
      >
        Delete
      </Button>
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${title}?`}
          action="Delete maintenance"
          onConfirm={remove}
          onClose={() => setDeleting(false)}
        >
          {state === 'active'
            ? 'The maintenance ends now, and its monitors send alerts as usual.'
            : state === 'past'
              ? "It disappears from this list. Its time still doesn't count towards uptime."
              : 'Its monitors will send alerts as usual.'}{' '}
          This can't be undone.
        </ConfirmDialog>
      )}
    </div>
  )
}
