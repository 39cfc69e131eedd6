/** Starts a maintenance of some monitors: a menu with common durations, and a dialog for any other duration. */
import { Wrench } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { startMaintenance } from '../lib/maintenances.ts'
import { showProblem } from '../lib/toasts.ts'
import { useForm } from '../lib/use-form.ts'
import { Dialog, DialogActions } from './dialog.tsx'
import { TextField } from './field.tsx'
import { MenuItem } from './menu.tsx'
import { ProblemNotice } from './problem-notice.tsx'

export const maintenancePresets = [
  { minutes: 15, label: '15 minutes' },
  { minutes: 30, label: '30 minutes' },
  { minutes: 60, label: '1 hour' },
  { minutes: 120, label: '2 hours' },
] as const

interface StartMaintenanceItemsProps {
  /** `minutes` is undefined if the user chose Custom…, to type the duration. */
  onSelect: (minutes: number | undefined) => void
  /** Text before each duration. Needed in a menu that also offers other actions. */
  prefix?: string
}

export function StartMaintenanceItems({ onSelect, prefix = '' }: StartMaintenanceItemsProps) {
  const icon = prefix === '' ? {} : { icon: Wrench }
  return (
    <>
      {maintenancePresets.map(({ minutes, label }) => (
        <MenuItem key={minutes} {...icon} onSelect={() => onSelect(minutes)}>
          {prefix}
          {label}
        </MenuItem>
      ))}
      <MenuItem {...icon} onSelect={() => onSelect(undefined)}>
        {prefix}Custom…
      </MenuItem>
    </>
  )
}

interface MaintenanceTarget {
  monitorIds: readonly number[]
  /** What is in maintenance, such as "Shop" or "3 monitors". */
  what: string
}

/** `start` starts a maintenance, or opens the dialog if no duration was chosen. The caller must render `dialog`. */
export function useStartMaintenance({ monitorIds, what }: MaintenanceTarget) {
  const [isDialogOpen, setDialogOpen] = useState(false)
  const [busy, setBusy] = useState(false)
  async function start(minutes: number | undefined) {
    if (minutes === undefined) {
      setDialogOpen(true)
      return
    }
    setBusy(true)
    await startMaintenance({ monitorIds, what, durationSeconds: 60 * minutes }).catch(showProblem)
    setBusy(false)
  }
  const dialog = isDialogOpen && (
    <StartMaintenanceDialog monitorIds={monitorIds} what={what} onClose={() => setDialogOpen(false)} />
  )
  return { start: (minutes: number | undefined) => void start(minutes), busy, dialog }
}

function StartMaintenanceDialog({ monitorIds, what, onClose }: MaintenanceTarget & { onClose: () => void }) {
  const form = useForm({ minutes: '45' }, async ({ minutes }) => {
    const isNumber = /^\d+$/.test(minutes.trim())
    // Text that is not a number is sent unchanged, so that the server's validation message explains the error.
    await startMaintenance({ monitorIds, what, durationSeconds: isNumber ? 60 * Number(minutes) : (minutes as never) })
    onClose()
  })
  return (
    <Dialog title={`Start maintenance of ${what}`} onClose={onClose}>
      <form class="form" onSubmit={form.submit} noValidate>
        <p class="muted">Checks continue, but no alerts are sent and the time doesn't count as downtime.</p>
        <TextField
          label="Minutes"
          inputMode="numeric"
          autocomplete="off"
          autofocus
          value={form.values.minutes}
          errors={form.errorsFor('duration_seconds')}
          onValue={(minutes) => form.set('minutes', minutes)}
        />
        <ProblemNotice problem={form.problem} fieldsWithOwnErrors={['duration_seconds']} />
        <DialogActions action="Start maintenance" busy={form.busy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
