/** Assigning, switching and removing: seen at once, and taken back where the server refuses. */
import { showProblem, showToast } from '../../components/toasts.tsx'
import { api, type List, withQuery } from '../../lib/api.ts'
import { queryClient } from '../../lib/queries.ts'
import { type Assignment, detailKeys } from './queries.ts'

export function useAssigning(id: number) {
  const queryKey = detailKeys.assignments(id)
  const path = `api/monitors/${id}/notifications`

  async function attempt(
    change: (before: Assignment[]) => Assignment[],
    deed: () => Promise<unknown>,
  ): Promise<boolean> {
    await queryClient.cancelQueries({ queryKey })
    queryClient.setQueryData<List<Assignment>>(queryKey, (before) => before && { ...before, data: change(before.data) })
    try {
      await deed()
      return true
    } catch (error) {
      showProblem(error)
      return false
    } finally {
      await queryClient.invalidateQueries({ queryKey })
    }
  }

  async function assign(providerId: number, enabled: boolean): Promise<void> {
    await attempt(
      (before) => before.map((one) => (one.provider_id === providerId ? { ...one, enabled } : one)),
      () => api.post(path, { provider_id: providerId, enabled }),
    )
  }

  async function remove({ provider_id, enabled }: Assignment): Promise<void> {
    const isDone = await attempt(
      (before) => before.filter((one) => one.provider_id !== provider_id),
      () => api.delete(withQuery(path, { provider_id })),
    )
    if (isDone) showToast('Removed.', { undo: () => void assign(provider_id, enabled) })
  }

  return { assign, remove }
}
