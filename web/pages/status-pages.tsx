/** Lists the user's status pages. */
import { PanelTop, Plus } from 'lucide-preact'
import { ButtonLink } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { EmptyState, Loading, QueryContent, Skeleton } from '../components/states.tsx'
import { useStatusPages } from '../lib/status-pages.ts'
import { can } from '../lib/team.ts'
import { useLive } from '../lib/use-live.ts'
import { StatusPageRow } from './status-pages/page-row.tsx'
import './status-pages/status-pages.css'

/** Longer lists show no numbers of subscribers, because each number is a separate request. */
const MAX_PAGES_WITH_COUNTS = 30

const addButton = (
  <ButtonLink kind="primary" icon={Plus} to="/status-pages/new" needs="edit">
    Add status page
  </ButtonLink>
)

export default function StatusPagesPage() {
  useLive()
  const pages = useStatusPages()
  return (
    <Page title="Status pages" actions={pages.data?.length ? addButton : undefined}>
      <QueryContent
        query={pages}
        loading={
          <Loading what="status pages">
            <Skeleton height="6rem" />
            <Skeleton height="6rem" />
          </Loading>
        }
      >
        {(pages) =>
          pages.length === 0 ? (
            <NoStatusPage />
          ) : (
            <ul class="panel status-pages">
              {pages.map((page) => (
                <StatusPageRow key={page.id} page={page} hasSubscriberCount={pages.length <= MAX_PAGES_WITH_COUNTS} />
              ))}
            </ul>
          )
        }
      </QueryContent>
    </Page>
  )
}

function NoStatusPage() {
  return (
    <div class="panel">
      <EmptyState title={can('edit') ? 'Show your users that everything works' : 'No status pages yet'} icon={PanelTop}>
        <p>
          {can('browse')
            ? 'A status page lists the monitors you choose with their uptime of the last 90 days, incidents and maintenance. It stays online even while your database is down.'
            : 'Status pages appear here when an owner or admin of the team shares them with you.'}
        </p>
        {addButton}
      </EmptyState>
    </div>
  )
}
