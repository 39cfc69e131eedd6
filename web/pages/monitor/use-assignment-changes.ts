/** Assigning, switching and removing: seen at once, and taken back where the server refuses. */
import { showProblem, showToast } from '../../components/toasts.tsx'
import { api, withQuery } from '../../lib/api.ts'
import { type Assignment, assignmentsPath } from '../../lib/assignments.ts'
import { queryKeys, queryClient } from '../../lib/queries.ts'

export function useAssigning(id: number) {
  const queryKey = queryKeys.assignments(id)
  const path = assignmentsPath(id)

  async function attempt(
    change: (before: Assignment[]) => Assignment[],
    deed: () => Promise<unknown>,
  ): Promise<boolean> {
    await queryClient.cancelQueries({ queryKey })
    const before = queryClient.getQueryData<Assignment[]>(queryKey)
    if (before !== undefined) queryClient.setQueryData(queryKey, change(before))
    try {
      await deed()
      return true
    } catch (error) {
      queryClient.setQueryData(queryKey, before)
      showProblem(error)
      return false
    } finally {
      void queryClient.invalidateQueries({ queryKey: queryKeys.providers })
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
