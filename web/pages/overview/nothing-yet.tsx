import { ChartNoAxesColumn } from 'lucide-preact'
import { EmptyState } from '../../components/states.tsx'
import { can } from '../../lib/team.ts'

/** For people who can't add anything themselves. */
export default function NothingYet() {
  return (
    <div class="panel">
      <EmptyState
        title={can('browse') ? 'No websites and monitors yet' : 'Nothing shared with you yet'}
        icon={ChartNoAxesColumn}
      >
        <p>
          {can('browse')
            ? 'They appear here when an editor of the team adds them.'
            : 'Websites appear here when an owner or admin of the team shares them with you.'}
        </p>
      </EmptyState>
    </div>
  )
}
