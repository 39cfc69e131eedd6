import { History } from 'lucide-preact'
import { Link } from 'wouter-preact'
import type { AuditObject } from '../../src/shared/audit.ts'
import { withQuery } from '../lib/api.ts'
import { can } from '../lib/team.ts'
import { Icon } from './icon.tsx'
import './history-link.css'

/** Opens the audit log with the changes of one thing. Only owners and admins can read it. */
export function HistoryLink({ object, id }: { object: AuditObject; id: number }) {
  if (!can('manage')) return null
  return (
    <p class="small history-link">
      <Link href={withQuery('/audit', { object, object_id: id })}>
        <Icon icon={History} size={14} />
        History of changes
      </Link>
    </p>
  )
}
