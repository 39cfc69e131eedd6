/** Commands of the palette that change or check a monitor. */
import type { CheckRecord } from '../../src/checker/schema.ts'
import type { MonitorRecord } from '../../src/monitors/schema.ts'
import { showProblem, showToast } from '../components/toasts.tsx'
import { api, type ItemResponse } from '../lib/api.ts'
import { causeTexts } from '../lib/causes.ts'
import { formatMs } from '../lib/format.ts'
import { type OverviewMonitor, queryClient, queryKeys } from '../lib/queries.ts'

type CommandMonitor = Pick<OverviewMonitor, 'id' | 'friendly_name'>

export async function setMonitorActive(monitor: CommandMonitor, isActive: boolean, isUndo = false): Promise<void> {
  const { id, friendly_name } = monitor
  const { data } = await api.put<ItemResponse<MonitorRecord>>(`api/monitors/${id}`, { is_active: isActive })
  queryClient.setQueryData(queryKeys.monitor(id), data)
  void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
  const text = `${friendly_name} ${isActive ? 'resumed' : 'paused'}.`
  const undo = () => void setMonitorActive(monitor, !isActive, true).catch(showProblem)
  showToast(text, isUndo ? {} : { undo })
}

export async function checkMonitorNow({ id, friendly_name }: CommandMonitor): Promise<void> {
  showToast(`Checking ${friendly_name}…`)
  const { data } = await api.post<ItemResponse<CheckRecord>>(`api/monitors/${id}/check`)
  void queryClient.invalidateQueries({ queryKey: queryKeys.monitor(id) })
  showToast(`${friendly_name}: ${describeCheck(data)}`, { isError: data.ok === false })
}

function describeCheck({ ok, response_ms: ms, cause, detail }: CheckRecord): string {
  if (ok) return `check passed in ${formatMs(ms)}.`
  const reason = detail ?? (cause === null ? undefined : causeTexts[cause].title)
  return `${ok === null ? "check couldn't run" : 'check failed'}${reason === undefined ? '' : `: ${reason}`}.`
}
