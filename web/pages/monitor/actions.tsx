import { ArrowRightLeft, Ellipsis, Pause, Pencil, Play, RefreshCw, Trash2, Wrench } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { CheckRecord } from '../../../src/checker/schema.ts'
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { Button, ButtonLink } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { Menu, MenuItem, MenuLink, MenuNote, MenuSeparator } from '../../components/menu.tsx'
import { canMoveMonitor, openMoveDialog, toMovableMonitor } from '../../components/move-to-team.ts'
import { StartMaintenanceItems, useStartMaintenance } from '../../components/start-maintenance.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { goBackPast } from '../../lib/go-back.ts'
import { isProbed } from '../../lib/monitor-types.ts'
import { queryClient, queryKeys, updateCachedOverview } from '../../lib/queries.ts'
import { showProblem, showToast } from '../../lib/toasts.ts'
import { PHONE_QUERY, useMediaQuery } from '../../lib/use-media-query.ts'

interface MonitorActionsProps {
  monitor: MonitorRecord
  onResult: (result: CheckRecord) => void
}

export function MonitorActions({ monitor, onResult }: MonitorActionsProps) {
  const { id, type, is_active, friendly_name } = monitor
  const [busyAction, setBusyAction] = useState<'check' | 'pause'>()
  const [isDeleting, setDeleting] = useState(false)
  const maintenance = useStartMaintenance({ monitorIds: [id], what: friendly_name })
  const isPhone = useMediaQuery(PHONE_QUERY)
  const [, navigate] = useLocation()

  async function runAction(name: 'check' | 'pause', action: () => Promise<void>) {
    setBusyAction(name)
    try {
      await action()
    } catch (error) {
      showProblem(error)
    } finally {
      setBusyAction(undefined)
    }
  }

  const checkNow = () =>
    runAction('check', async () => {
      onResult((await api.post<ItemResponse<CheckRecord>>(`api/monitors/${id}/check`)).data)
      void queryClient.invalidateQueries({ queryKey: queryKeys.monitor(id) })
    })

  const setActive = (isActive: boolean, isUndo = false) =>
    runAction('pause', async () => {
      const { data } = await api.put<ItemResponse<MonitorRecord>>(`api/monitors/${id}`, { is_active: isActive })
      queryClient.setQueryData(queryKeys.monitor(id), data)
      void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
      const text = `${friendly_name} ${isActive ? 'resumed' : 'paused'}.`
      showToast(text, isUndo ? {} : { undo: () => void setActive(!isActive, true) })
    })

  async function remove() {
    await api.delete(`api/monitors/${id}`)
    showToast(`${friendly_name} deleted.`)
    await goBackPast(`/monitors/${id}`, () => navigate('/monitors', { replace: true }))
    updateCachedOverview((overview) => ({
      ...overview,
      monitors: overview.monitors.filter((other) => other.id !== id),
    }))
    queryClient.removeQueries({ queryKey: queryKeys.monitor(id) })
  }

  const checkButton = (
    <Button kind="primary" needs="edit" icon={RefreshCw} busy={busyAction === 'check'} onClick={() => void checkNow()}>
      Check now
    </Button>
  )
  const moveItem = canMoveMonitor(monitor) && (
    <MenuItem icon={ArrowRightLeft} onSelect={() => void openMoveDialog(toMovableMonitor(monitor))}>
      Move to another team…
    </MenuItem>
  )
  const [pauseLabel, pauseIcon] = is_active ? (['Pause', Pause] as const) : (['Resume', Play] as const)
  return (
    <div class="monitor-actions">
      {isProbed(type) && checkButton}
      {isPhone ? (
        <Menu needs="edit" label={<Icon icon={Ellipsis} />} name="More actions" align="end" hasChevron={false}>
          <MenuItem icon={pauseIcon} onSelect={() => void setActive(!is_active)}>
            {pauseLabel}
          </MenuItem>
          <MenuLink icon={Pencil} href={`/monitors/${id}/edit`}>
            Edit
          </MenuLink>
          <MenuSeparator />
          <StartMaintenanceItems prefix="Maintenance: " onSelect={maintenance.start} />
          <MenuSeparator />
          {moveItem}
          <MenuItem icon={Trash2} isDanger onSelect={() => setDeleting(true)}>
            Delete
          </MenuItem>
        </Menu>
      ) : (
        <>
          <Button
            needs="edit"
            icon={pauseIcon}
            busy={busyAction === 'pause'}
            onClick={() => void setActive(!is_active)}
          >
            {pauseLabel}
          </Button>
          <Menu needs="edit" icon={Wrench} label="Maintenance" align="end">
            <MenuNote>Start maintenance for</MenuNote>
            <StartMaintenanceItems onSelect={maintenance.start} />
          </Menu>
          <ButtonLink needs="edit" icon={Pencil} to={`/monitors/${id}/edit`}>
            Edit
          </ButtonLink>
          <Button kind="danger" needs="edit" icon={Trash2} onClick={() => setDeleting(true)}>
            Delete
          </Button>
          {moveItem && (
            <Menu label={<Icon icon={Ellipsis} />} name="More actions" align="end" hasChevron={false}>
              {moveItem}
            </Menu>
          )}
        </>
      )}
      {maintenance.dialog}
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${friendly_name}?`}
          action="Delete monitor"
          onConfirm={remove}
          onClose={() => setDeleting(false)}
        >
          {type === 'traffic'
            ? "The traffic alerts of the website will be turned off, and the incidents will be deleted. This can't be undone."
            : "Its checks, response times and incidents will be deleted too, and you'll stop getting alerts for it. This can't be undone."}
        </ConfirmDialog>
      )}
    </div>
  )
}
