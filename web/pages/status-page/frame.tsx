/** What the pages about one status page share: the heading with its title, and the tabs. */
import type { ComponentChildren } from 'preact'
import { NotFoundPage } from '../../components/not-found-page.tsx'
import { Page } from '../../components/page.tsx'
import { Loading, QueryContent, Skeleton } from '../../components/states.tsx'
import { isNotFound } from '../../lib/api.ts'
import { type StatusPage, useStatusPage } from '../../lib/status-pages.ts'
import { useLive } from '../../lib/use-live.ts'
import { StatusPageLinks } from './page-links.tsx'
import { StatusPageTabs } from './tabs.tsx'

interface StatusPageFrameProps {
  pageId: number
  /** The document title, before the title of the status page. */
  title: string
  actions?: ComponentChildren
  children: (page: StatusPage) => ComponentChildren
}

export function StatusPageFrame({ pageId, title, actions, children }: StatusPageFrameProps) {
  useLive()
  const query = useStatusPage(pageId)
  const { data: page, error } = query
  if (page === undefined && isNotFound(error)) return <NotFoundPage />
  return (
    <Page
      title={page ? `${title} · ${page.title}` : title}
      heading={page?.title ?? title}
      actions={
        page && (
          <>
            <StatusPageLinks page={page} />
            {actions}
          </>
        )
      }
    >
      <StatusPageTabs pageId={pageId} />
      <QueryContent
        query={query}
        loading={
          <Loading what="status page">
            <Skeleton height="5rem" />
            <Skeleton height="14rem" />
          </Loading>
        }
      >
        {children}
      </QueryContent>
    </Page>
  )
}
