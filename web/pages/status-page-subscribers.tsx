/** Lists the people who get emails about a status page. */
import { Mail } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { type SubscriberState, subscriberStates } from '../../src/shared/status-pages.ts'
import { PRIVACY } from '../../src/shared/websites.ts'
import { Button } from '../components/button.tsx'
import { GoLiveNotice } from '../components/go-live-notice.tsx'
import { Notice } from '../components/notice.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { SegmentedControl } from '../components/segmented-control.tsx'
import { EmptyState, Loading, QueryContent, Skeleton } from '../components/states.tsx'
import { boot, canSend, toPublicUrl } from '../lib/boot.ts'
import type { StatusPage } from '../lib/status-pages.ts'
import { useDebounced } from '../lib/use-debounced.ts'
import { StatusPageFrame } from './status-page/frame.tsx'
import { useSubscribers } from './status-page-subscribers/queries.ts'
import { subscriberStateLabels } from './status-page-subscribers/state-labels.ts'
import { SubscriberTable } from './status-page-subscribers/subscriber-table.tsx'
import './status-page-subscribers/subscribers.css'

export default function SubscribersPage({ pageId }: { pageId: number }) {
  return (
    <StatusPageFrame pageId={pageId} title="Subscribers">
      {(page) => (
        <div class="stack">
          <GoLiveNotice needs={['url', 'mail']}>
            Visitors can't subscribe by email yet, and subscribers get no emails.
          </GoLiveNotice>
          {canSend('email') && page.privacy === PRIVACY.private && (
            <Notice tone="warn">
              This page is private, so nobody can subscribe, and its subscribers get no emails. To send emails again,
              change its privacy.
            </Notice>
          )}
          <Subscribers page={page} />
        </div>
      )}
    </StatusPageFrame>
  )
}

type Filter = SubscriberState | 'all'

function Subscribers({ page }: { page: StatusPage }) {
  const [search, setSearch] = useState('')
  const [filter, setFilter] = useState<Filter>('all')
  const query = useSubscribers(page.id, {
    search: useDebounced(search.trim()),
    state: filter === 'all' ? undefined : filter,
  })
  return (
    <QueryContent
      query={query}
      loading={
        <Loading what="subscribers">
          <Skeleton height="2.5rem" />
          <Skeleton height="16rem" />
        </Loading>
      }
    >
      {({ pages }) => {
        const counts = pages[0]?.meta.counts ?? { pending: 0, confirmed: 0, bounced: 0 }
        const total = subscriberStates.reduce((sum, state) => sum + counts[state], 0)
        if (total === 0) return <NoSubscribers page={page} />
        const choices = [
          { value: 'all' as const, label: 'All', count: total },
          ...subscriberStates.map((state) => ({
            value: state,
            label: subscriberStateLabels[state].label,
            count: counts[state],
          })),
        ]
        const subscribers = pages.flatMap(({ data }) => data)
        return (
          <>
            <p class="muted">Subscribers get an email about each post, update and planned maintenance.</p>
            <div class="subscribers-toolbar">
              <SearchBox label="Search subscribers" placeholder="Search email" value={search} onValue={setSearch} />
              <SegmentedControl<Filter> label="State" choices={choices} value={filter} onValue={setFilter} />
            </div>
            {subscribers.length === 0 ? (
              <p class="panel muted">No matching subscribers</p>
            ) : (
              <SubscriberTable page={page} subscribers={subscribers} />
            )}
            {query.hasNextPage && (
              <div>
                <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  Show more
                </Button>
              </div>
            )}
          </>
        )
      }}
    </QueryContent>
  )
}

function NoSubscribers({ page }: { page: StatusPage }) {
  const canSubscribe = boot.base_url != null && canSend('email')
  return (
    <div class="panel">
      <EmptyState title="No subscribers yet" icon={Mail}>
        <p>
          {canSubscribe
            ? 'Visitors subscribe on the page with their email address and confirm it with a link. Subscribers get an email about each post, update and planned maintenance, and can unsubscribe with one click.'
            : 'Visitors can follow the page in a feed reader: the button Subscribe offers RSS, Atom and JSON feeds.'}
        </p>
        <a class="button button-plain" href={toPublicUrl(page.url)} target="_blank" rel="noreferrer">
          Open the page
        </a>
      </EmptyState>
    </div>
  )
}
