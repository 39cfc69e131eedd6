/**
 * Chooses the status page for a new post. Opens the form immediately if the user has only one page, or if only one page
 * shows the monitor.
 */
import { PanelTop, Plus } from 'lucide-preact'
import { Link, Redirect, useSearchParams } from 'wouter-preact'
import { ButtonLink } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { Page } from '../components/page.tsx'
import { EmptyState, Loading, QueryContent, Skeleton } from '../components/states.tsx'
import { pluralize } from '../lib/format.ts'
import { listPageMonitors, type StatusPage, useStatusPages } from '../lib/status-pages.ts'
import './status-page-posts/choice.css'

export default function StatusPageChoicePage() {
  const [params] = useSearchParams()
  const monitorId = Number(params.get('monitor'))
  const query = params.toString()
  const buildPath = ({ id }: StatusPage) => `/status-pages/${id}/posts/new${query === '' ? '' : `?${query}`}`
  const pages = useStatusPages()
  const listChoices = (all: readonly StatusPage[]) =>
    monitorId > 0
      ? all.filter((page) => listPageMonitors(page).some(({ monitor_id }) => monitor_id === monitorId))
      : all
  return (
    <Page title="Write post" isNarrow>
      <QueryContent
        query={pages}
        loading={
          <Loading what="status pages">
            <Skeleton height="10rem" />
          </Loading>
        }
      >
        {(all) => {
          const choices = listChoices(all)
          const [only] = choices
          if (only === undefined) return <NoChoice hasPages={all.length > 0} />
          if (choices.length === 1) return <Redirect to={buildPath(only)} replace />
          return (
            <div class="panel stack">
              <h2>On which status page?</h2>
              <ul class="page-choices">
                {choices.map((page) => (
                  <li key={page.id}>
                    <Link href={buildPath(page)}>
                      <Icon icon={PanelTop} size={18} />
                      <span class="clip">{page.title}</span>
                      <span class="small muted">{pluralize(listPageMonitors(page).length, 'monitor')}</span>
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          )
        }}
      </QueryContent>
    </Page>
  )
}

function NoChoice({ hasPages }: { hasPages: boolean }) {
  return (
    <div class="panel">
      {hasPages ? (
        <EmptyState title="This monitor is not on a status page" icon={PanelTop}>
          <p>Add it to a status page first. Then you can write about it there.</p>
          <ButtonLink to="/status-pages">Status pages</ButtonLink>
        </EmptyState>
      ) : (
        <EmptyState title="You have no status page yet" icon={PanelTop}>
          <p>Posts appear on a status page. Create one first.</p>
          <ButtonLink kind="primary" icon={Plus} to="/status-pages/new" needs="edit">
            Add status page
          </ButtonLink>
        </EmptyState>
      )}
    </div>
  )
}
