/** The notification channels assigned to a monitor. */
import { useQuery } from '@tanstack/preact-query'
import type { AssignmentRecord } from '../../src/assignments/schema.ts'
import { api, type ListResponse } from './api.ts'
import { queryKeys } from './queries.ts'

export type Assignment = AssignmentRecord

export const buildAssignmentsPath = (monitorId: number) => `api/monitors/${monitorId}/notifications`

export async function fetchAssignments(monitorId: number, signal?: AbortSignal): Promise<Assignment[]> {
  return (await api.get<ListResponse<Assignment>>(buildAssignmentsPath(monitorId), signal)).data
}

/**
 * The query refetches whenever a component starts to use it, because the page of a notification channel changes the
 * same assignments. It fetches nothing if `monitorId` is undefined.
 */
export function useAssignments(monitorId: number | undefined) {
  return useQuery({
    queryKey: queryKeys.assignments(monitorId ?? 0),
    queryFn: ({ signal }) => fetchAssignments(monitorId ?? 0, signal),
    enabled: monitorId !== undefined,
    staleTime: 0,
  })
}
