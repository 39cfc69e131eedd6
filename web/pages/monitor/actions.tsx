import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { CheckRecord } from '../../../src/checker/schema.ts'
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { showProblem, showToast } from '../../components/toasts.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { goBackPast } from '../../lib/go-back.ts'
import { updateCachedOverview, queryKeys, queryClient } from '../../lib/queries.ts'

interface ActionsProps {
  monitor: MonitorRecord
  onResult: (result: CheckRecord) => void
}

export function MonitorActions({ monitor, onResult }: ActionsProps) {
  const { id, is_active, friendly_name } = monitor
  const [busy, setBusy] = useState<'check' | 'pause'>()
  const [isDeleting, setDeleting] = useState(false)
  const [, navigate] = useLocation()

  async function attempt(what: 'check' | 'pause', deed: () => Promise<void>) {
    setBusy(what)
    try {
      await deed()
    } catch (error) {
      showProblem(error)
    } finally {
      setBusy(undefined)
    }
  }

  const check = () =>
    attempt('check', async () => {
      onResult((await api.post<ItemResponse<CheckRecord>>(`api/monitors/${id}/check`)).data)
      void queryClient.invalidateQueries({ queryKey: queryKeys.monitor(id) })
    })

  const setActive = (isActive: boolean, isUndo = false) =>
    attempt('pause', async () => {
      const { data } = await api.put<ItemResponse<MonitorRecord>>(`api/monitors/${id}`, { is_active: isActive })
      queryClient.setQueryData(queryKeys.monitor(id), data)
      void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
      const text = `${friendly_name} is ${isActive ? 'watched again' : 'paused'}.`
      showToast(text, isUndo ? {} : { undo: () => void setActive(!isActive, true) })
    })

  async function remove() {
    await api.delete(`api/monitors/${id}`)
    showToast(`${friendly_name} is deleted.`)
    await goBackPast(`/monitors/${id}`, () => navigate('/monitors', { replace: true }))
    updateCachedOverview((overview) => ({ ...overview, monitors: overview.monitors.filter((one) => one.id !== id) }))
    queryClient.removeQueries({ queryKey: queryKeys.monitor(id) })
  }

  return (
    <div class="monitor-actions">
      <Button kind="primary" busy={busy === 'check'} onClick={() => void check()}>
        Check now
      </Button>
      <Button busy={busy === 'pause'} onClick={() => void setActive(!is_active)}>
        {is_active ? 'Pause' : 'Resume'}
      </Button>
      <ButtonLink to={`/monitors/${id}/edit`}>Edit</ButtonLink>
      <Button kind="danger" onClick={() => setDeleting(true)}>
        Delete
      </Button>
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${friendly_name}?`}
          action="Delete this monitor"
          onConfirm={remove}
          onClose={() => setDeleting(false)}
        >
          Its checks, response times and incidents are deleted with it, and nobody is told any more when it goes down.
          This cannot be undone.
        </ConfirmDialog>
      )}
    </div>
  )
}
