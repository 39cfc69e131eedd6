import { pluralize } from '../../lib/format.ts'
import type { Member } from '../../lib/team-queries.ts'

type Shares = Pick<Member, 'access' | 'website_ids' | 'status_page_ids'>

/** How much of the team a guest sees or edits. */
export function SharedNote({ shares: { access, website_ids, status_page_ids } }: { shares: Shares }) {
  const parts = [
    website_ids?.length ? pluralize(website_ids.length, 'website') : undefined,
    status_page_ids?.length ? pluralize(status_page_ids.length, 'status page') : undefined,
  ].filter((part) => part !== undefined)
  return (
    <span class="muted small team-shared">
      {parts.length === 0 ? 'Nothing shared yet' : `${access === 'edit' ? 'Edits' : 'Sees'} ${parts.join(' and ')}`}
    </span>
  )
}
