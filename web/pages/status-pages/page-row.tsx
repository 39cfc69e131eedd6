import { useQuery } from '@tanstack/preact-query'
import { ExternalLink, Globe, KeyRound, Lock, Mail, Radar } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { CopyButton } from '../../components/copy-button.tsx'
import { Icon } from '../../components/icon.tsx'
import { api, type ListResponse, withQuery } from '../../lib/api.ts'
import { toPublicUrl } from '../../lib/boot.ts'
import { pluralize } from '../../lib/format.ts'
import { queryKeys } from '../../lib/queries.ts'
import { toStatusPagePath } from '../../lib/status-page-path.ts'
import { listPageMonitors, type StatusPage } from '../../lib/status-pages.ts'
import { StatusPageState } from './page-state.tsx'

const privacyLabels = {
  0: { label: 'Public', icon: Globe },
  1: { label: 'Private', icon: Lock },
  2: { label: 'Password-protected', icon: KeyRound },
}

interface StatusPageRowProps {
  page: StatusPage
  hasSubscriberCount: boolean
}

export function StatusPageRow({ page, hasSubscriberCount }: StatusPageRowProps) {
  const { id, title, privacy, open_posts } = page
  const url = toPublicUrl(page.url)
  const { label, icon } = privacyLabels[privacy]
  return (
    <li class="status-pages-row">
      <StatusPageState page={page} />
      <div class="status-pages-text">
        <h2>
          <Link href={toStatusPagePath(id)} class="row-link">
            {title}
          </Link>
        </h2>
        <p class="status-pages-address">
          <a href={url} target="_blank" rel="noreferrer">
            {url.replace(/^https?:\/\/|\/$/g, '')}
            <Icon icon={ExternalLink} size={12} />
            <span class="hidden-text"> (opens in a new tab)</span>
          </a>
          <CopyButton text={url} />
        </p>
        {open_posts > 0 && (
          <p class="status-pages-posts">
            <Link href={`/status-pages/${id}/posts`}>{pluralize(open_posts, 'open post')}</Link>
          </p>
        )}
      </div>
      <ul class="status-pages-facts muted small numbers">
        <li>
          <Icon icon={Radar} size={14} />
          {pluralize(listPageMonitors(page).length, 'monitor')}
        </li>
        <li>
          <Icon icon={Mail} size={14} />
          {hasSubscriberCount ? <SubscriberCount pageId={id} /> : 'Subscribers'}
        </li>
        <li>
          <Icon icon={icon} size={14} />
          {label}
        </li>
      </ul>
    </li>
  )
}

function SubscriberCount({ pageId }: { pageId: number }) {
  const { data: count } = useQuery({
    queryKey: [...queryKeys.statusSubscribers(pageId), 'count'],
    queryFn: async ({ signal }) => {
      const path = withQuery(`api/status-pages/${pageId}/subscribers`, { state: 'confirmed', pageSize: 1 })
      return (await api.get<ListResponse<unknown>>(path, signal)).meta.total
    },
  })
  return <>{count === undefined ? '…' : pluralize(count, 'subscriber')}</>
}
