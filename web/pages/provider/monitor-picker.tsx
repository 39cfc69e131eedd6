import { useEffect, useMemo, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Segments } from '../../components/segmented-control.tsx'
import { formatNumber } from '../../lib/format.ts'
import type { OverviewMonitor } from '../../lib/queries.ts'
import { type Assigned, planOf, type Wishes } from './assignment-changes.ts'
import { MonitorRows } from './monitor-rows.tsx'
import { SaveBar } from './save-bar.tsx'

interface MonitorChoiceProps {
  providerId: number
  monitors: readonly OverviewMonitor[]
  assigned: Assigned
  onWishes: (hasWishes: boolean) => void
}

const parts = [
  { value: 'all', label: 'All' },
  { value: 'told', label: 'Assigned' },
  { value: 'rest', label: 'Not assigned' },
] as const
type Part = (typeof parts)[number]['value']

export function MonitorChoice({ providerId, monitors, assigned, onWishes }: MonitorChoiceProps) {
  const [search, setSearch] = useState('')
  const [part, setPart] = useState<Part>('all')
  const [wishes, setWishes] = useState<Wishes>(new Map())

  const found = useMemo(() => {
    const text = search.trim().toLowerCase()
    // By what is saved: a row must not vanish under the hand that unchecks it.
    const isInPart = (id: number) => part === 'all' || (assigned.get(id) === true) === (part === 'told')
    return monitors.filter(
      ({ id, friendly_name: name, url }) => isInPart(id) && `${name}\n${url}`.toLowerCase().includes(text),
    )
  }, [monitors, assigned, search, part])

  const plan = planOf(assigned, wishes, monitors)
  const hasWishes = plan.enable.length + plan.remove.length > 0
  useEffect(() => onWishes(hasWishes), [hasWishes])

  const wish = (ids: readonly number[], isWanted: boolean) =>
    setWishes((before) => new Map([...before, ...ids.map((id) => [id, isWanted] as const)]))
  const wishFound = (isWanted: boolean) =>
    wish(
      found.map(({ id }) => id),
      isWanted,
    )

  if (monitors.length === 0) {
    return (
      <p>
        There is no monitor yet. <Link href="/monitors/new">Add one</Link>, then it can be assigned here.
      </p>
    )
  }
  return (
    <div class="form">
      <TextField
        label="Search monitors"
        type="search"
        placeholder="Name or address"
        value={search}
        onValue={setSearch}
        autocomplete="off"
      />
      <div class="row">
        <Segments label="Which monitors" choices={parts} value={part} onValue={setPart} />
        <Button small onClick={() => wishFound(true)} disabled={found.length === 0}>
          Select all {formatNumber(found.length)}
        </Button>
        <Button small onClick={() => wishFound(false)} disabled={found.length === 0}>
          Select none
        </Button>
      </div>
      {found.length === 0 ? (
        <p class="muted">No monitor fits.</p>
      ) : (
        <MonitorRows
          monitors={found}
          isChecked={(id) => wishes.get(id) ?? assigned.get(id) === true}
          isOff={(id) => assigned.get(id) === false && !wishes.get(id)}
          onCheck={(id, isChecked) => wish([id], isChecked)}
        />
      )}
      <SaveBar providerId={providerId} assigned={assigned} plan={plan} onDone={() => setWishes(new Map())} />
    </div>
  )
}
