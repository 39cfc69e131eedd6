/** Which providers are told about a monitor. */
import { useQuery } from '@tanstack/preact-query'
import type { AssignmentRecord } from '../../src/assignments/schema.ts'
import { api, type List } from './api.ts'
import { keys } from './queries.ts'

export type Assignment = AssignmentRecord

export const assignmentsPath = (monitorId: number) => `api/monitors/${monitorId}/notifications`

export async function readAssignments(monitorId: number, signal?: AbortSignal): Promise<Assignment[]> {
  return (await api.get<List<Assignment>>(assignmentsPath(monitorId), signal)).data
}

/** Assigned from the other side too: asked again with every visit. Without a monitor nothing is asked. */
export function useAssignments(monitorId: number | undefined) {
  return useQuery({
    queryKey: keys.assignments(monitorId ?? 0),
    queryFn: ({ signal }) => readAssignments(monitorId ?? 0, signal),
    enabled: monitorId !== undefined,
    staleTime: 0,
  })
}
