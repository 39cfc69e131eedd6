import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { ApiProblem, api, type ItemResponse } from '../../lib/api.ts'
import { findRepeatedHeader } from '../../lib/header-rows.ts'
import { diffMonitor, type MonitorInput } from './input.ts'
import type { MonitorFormValues } from './values.ts'

/** The monitor as the server last stored it. */
export interface SavedMonitor {
  id: number
  input: MonitorInput
}

/** The server can't detect duplicate header names, because it receives the headers as an object. */
export function requireUniqueHeaders(values: MonitorFormValues): void {
  const repeatedName = values.type === 'http' ? findRepeatedHeader(values.headers) : undefined
  if (repeatedName === undefined) return
  const message = `${repeatedName} is listed twice.`
  throw new ApiProblem({ status: 422, code: 'validation_failed', message, errors: { 'http.headers': [message] } })
}

export async function saveMonitor(input: MonitorInput, saved: SavedMonitor | undefined): Promise<number> {
  if (saved === undefined) return (await api.post<ItemResponse<MonitorRecord>>('api/monitors', input)).data.id
  const changes = diffMonitor(saved.input, input)
  if (Object.keys(changes).length > 0) await api.put(`api/monitors/${saved.id}`, changes)
  return saved.id
}
