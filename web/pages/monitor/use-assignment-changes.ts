/** Assigns, enables, disables and removes channels. Updates the list optimistically and reverts failed changes. */

import { api, withQuery } from '../../lib/api.ts'
import { type Assignment, buildAssignmentsPath } from '../../lib/assignments.ts'
import { describeDelay } from '../../lib/delays.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import { showProblem, showToast } from '../../lib/toasts.ts'

type AssignmentSettings = Pick<Assignment, 'enabled'> & Partial<Pick<Assignment, 'delay_minutes'>>

export function useAssignmentChanges(monitorId: number) {
  const queryKey = queryKeys.assignments(monitorId)
  const path = buildAssignmentsPath(monitorId)

  /** Returns whether the server accepted the change. */
  async function applyOptimistically(
    change: (before: Assignment[]) => Assignment[],
    send: () => Promise<unknown>,
  ): Promise<boolean> {
    await queryClient.cancelQueries({ queryKey })
    const before = queryClient.getQueryData<Assignment[]>(queryKey)
    if (before !== undefined) queryClient.setQueryData(queryKey, change(before))
    try {
      await send()
      return true
    } catch (error) {
      queryClient.setQueryData(queryKey, before)
      showProblem(error)
      return false
    } finally {
      void queryClient.invalidateQueries({ queryKey: queryKeys.channels })
      await queryClient.invalidateQueries({ queryKey })
    }
  }

  /** Settings that are left out stay as they are. */
  async function assign(channelId: number, settings: AssignmentSettings): Promise<boolean> {
    return applyOptimistically(
      (before) =>
        before.map((assignment) =>
          assignment.provider_id === channelId ? { ...assignment, ...settings } : assignment,
        ),
      () => api.post(path, { provider_id: channelId, ...settings }),
    )
  }

  async function changeDelay({ provider_id, enabled, delay_minutes: before }: Assignment, delay_minutes: number) {
    const isChanged = await assign(provider_id, { enabled, delay_minutes })
    if (!isChanged) return
    showToast(`This channel is now notified ${describeDelay(delay_minutes)}.`, {
      undo: () => void assign(provider_id, { enabled, delay_minutes: before }),
    })
  }

  async function remove({ provider_id, enabled, delay_minutes }: Assignment): Promise<void> {
    const isRemoved = await applyOptimistically(
      (before) => before.filter((assignment) => assignment.provider_id !== provider_id),
      () => api.delete(withQuery(path, { provider_id })),
    )
    if (isRemoved)
      showToast('Channel removed.', {
        undo: () => void assign(provider_id, { enabled, delay_minutes }),
      })
  }

  return { assign, changeDelay, remove }
}
