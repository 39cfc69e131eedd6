/** The filters of the audit log, which the address contains. */
import { useSearchParams } from 'wouter-preact'
import { type AuditObject, auditObjects } from '../../../src/shared/audit.ts'

export interface AuditFilters {
  object: AuditObject | ''
  objectId: string
  from: string
  to: string
  search: string
}

export const noAuditFilters: AuditFilters = { object: '', objectId: '', from: '', to: '', search: '' }

const toObject = (text: string | null) => auditObjects.find((each) => each === text) ?? ''
const toDay = (text: string | null) => (text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : '')
const toId = (text: string | null) => (text !== null && /^[1-9]\d{0,14}$/.test(text) ? text : '')

export const parseAuditFilters = (params: URLSearchParams): AuditFilters => ({
  object: toObject(params.get('object')),
  objectId: toId(params.get('object_id')),
  from: toDay(params.get('from')),
  to: toDay(params.get('to')),
  search: params.get('search') ?? '',
})

export function toAuditQuery({ object, objectId, from, to, search }: AuditFilters): Record<string, string> {
  const query = { object, object_id: objectId, from, to, search: search.trim() }
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))
}

export function useAuditFilters(): [AuditFilters, (change: Partial<AuditFilters>) => void] {
  const [params, setParams] = useSearchParams()
  const filters = parseAuditFilters(params)
  const change = (next: Partial<AuditFilters>) => setParams(toAuditQuery({ ...filters, ...next }), { replace: true })
  return [filters, change]
}
