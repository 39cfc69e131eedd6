/** How much would change, and the button that does it; afterwards there is a way back. */
import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { showProblem, showToast } from '../../components/toasts.tsx'
import { formatNumber } from '../../lib/format.ts'
import { queryKeys, queryClient } from '../../lib/queries.ts'
import { type Assigned, carryOut, type Plan, undoOf } from './assignment-changes.ts'

interface SaveBarProps {
  providerId: number
  assigned: Assigned
  plan: Plan
  onDone: () => void
}

function wordsOf({ enable, remove }: Plan, isDone: boolean): string {
  const parts = [
    enable.length > 0 && `${formatNumber(enable.length)} ${isDone ? 'added' : 'to add'}`,
    remove.length > 0 && `${formatNumber(remove.length)} ${isDone ? 'taken off' : 'to take off'}`,
  ]
  return parts.filter(Boolean).join(', ')
}

/** Also after a failure: some of it may have been done. */
async function changeAndLook(providerId: number, plan: Plan): Promise<void> {
  try {
    await carryOut(providerId, plan)
  } finally {
    await queryClient.invalidateQueries({ queryKey: queryKeys.providerMonitors(providerId) })
  }
}

async function undo(providerId: number, plan: Plan): Promise<void> {
  try {
    await changeAndLook(providerId, plan)
    showToast('The monitors are as they were.')
  } catch (error) {
    showProblem(error)
  }
}

export function SaveBar({ providerId, assigned, plan, onDone }: SaveBarProps) {
  const [busy, setBusy] = useState(false)
  const isIdle = plan.enable.length + plan.remove.length === 0

  async function save() {
    setBusy(true)
    const back = undoOf(assigned, plan)
    try {
      await changeAndLook(providerId, plan)
      onDone()
      showToast(`Saved: ${wordsOf(plan, true)}.`, { undo: () => void undo(providerId, back) })
    } catch (error) {
      // One of them may be gone.
      void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
      showProblem(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <div class={`provider-save${isIdle ? '' : ' provider-save-due'}`}>
      <Button kind="primary" busy={busy} disabled={isIdle} onClick={() => void save()}>
        Save monitors
      </Button>
      <Button kind="quiet" disabled={isIdle || busy} onClick={onDone}>
        Discard
      </Button>
      <span class="muted numbers" role="status">
        {wordsOf(plan, false)}
      </span>
    </div>
  )
}
