/** Which providers are told about a monitor. */
import { useQuery } from '@tanstack/preact-query'
import type { AssignmentRecord } from '../../src/assignments/schema.ts'
import { api, type ListResponse } from './api.ts'
import { queryKeys } from './queries.ts'

export type Assignment = AssignmentRecord

export const assignmentsPath = (monitorId: number) => `api/monitors/${monitorId}/notifications`

export async function fetchAssignments(monitorId: number, signal?: AbortSignal): Promise<Assignment[]> {
  return (await api.get<ListResponse<Assignment>>(assignmentsPath(monitorId), signal)).data
}

/** Assigned from the other side too: asked again with every visit. Without a monitor nothing is asked. */
export function useAssignments(monitorId: number | undefined) {
  return useQuery({
    queryKey: queryKeys.assignments(monitorId ?? 0),
    queryFn: ({ signal }) => fetchAssignments(monitorId ?? 0, signal),
    enabled: monitorId !== undefined,
    staleTime: 0,
  })
}
