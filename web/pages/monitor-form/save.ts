import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { api, type ItemResponse, ApiProblem } from '../../lib/api.ts'
import { changesOf, findRepeatedHeader, type Input, type Values } from './values.ts'

export interface Kept {
  id: number
  input: Input
}

/** What only this side can see. */
export function requireReadable(values: Values): void {
  const repeated = values.type === 'http' ? findRepeatedHeader(values) : undefined
  if (repeated === undefined) return
  const message = `${repeated} is there twice.`
  throw new ApiProblem({ status: 422, code: 'validation_failed', message, errors: { 'http.headers': [message] } })
}

export async function saveMonitor(input: Input, kept: Kept | undefined): Promise<number> {
  if (kept === undefined) return (await api.post<ItemResponse<MonitorRecord>>('api/monitors', input)).data.id
  const changes = changesOf(kept.input, input)
  if (Object.keys(changes).length > 0) await api.put(`api/monitors/${kept.id}`, changes)
  return kept.id
}
