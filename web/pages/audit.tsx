/** Who changed what in the team, for its owners and admins. */
import { keepPreviousData, useInfiniteQuery } from '@tanstack/preact-query'
import { ScrollText, X } from 'lucide-preact'
import type { AuditRecord } from '../../src/audit/schema.ts'
import { AUDIT_RETENTION_DAYS, type AuditObject, auditObjects } from '../../src/shared/audit.ts'
import { Button } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { EmptyState, Loading, QueryContent, Skeleton } from '../components/states.tsx'
import { api, type ListResponse, withQuery } from '../lib/api.ts'
import { queryKeys } from '../lib/queries.ts'
import { useDebounced } from '../lib/use-debounced.ts'
import { auditObjectNames, findObjectPath } from './audit/describe-entry.ts'
import { EntryList } from './audit/entry-list.tsx'
import { type AuditFilters, noAuditFilters, toAuditQuery, useAuditFilters } from './audit/filters.ts'
import { DownloadButton } from './website/download-button.tsx'
import './audit/audit.css'

interface PageMeta {
  page: number
  total: number
  totalPages: number
}

const PAGE_SIZE = 50

function useAuditEntries(filters: AuditFilters) {
  const query = toAuditQuery(filters)
  return useInfiniteQuery({
    queryKey: queryKeys.audit(query),
    queryFn: ({ pageParam, signal }) =>
      api.get<ListResponse<AuditRecord, PageMeta>>(
        withQuery('api/audit', { ...query, page: pageParam, pageSize: PAGE_SIZE }),
        signal,
      ),
    initialPageParam: 1,
    getNextPageParam: ({ meta }) => (meta.page < meta.totalPages ? meta.page + 1 : undefined),
    placeholderData: keepPreviousData,
  })
}

export default function AuditPage() {
  const [filters, changeFilters] = useAuditFilters()
  const query = useAuditEntries({ ...filters, search: useDebounced(filters.search) })
  const { object, objectId } = filters
  const newest = query.data?.pages[0]?.data[0]
  /** The latest entry of the only object that the page shows. Until it is loaded, the page shows earlier results. */
  const only = newest !== undefined && `${newest.object_id}` === objectId ? newest : undefined
  const isOnlyMonitor = object === 'monitor' && objectId !== '' && (only === undefined || findObjectPath(only))
  return (
    <Page
      title="Audit log"
      {...(isOnlyMonitor && { parent: { href: `/monitors/${objectId}`, label: only?.object_name ?? 'Monitor' } })}
      actions={<DownloadButton path={withQuery('api/audit', toAuditQuery(filters))} label="Download CSV" isTextShown />}
    >
      <Toolbar filters={filters} objectName={only?.object_name ?? undefined} onChange={changeFilters} />
      <QueryContent
        query={query}
        loading={
          <Loading what="audit log">
            <Skeleton height="28rem" />
          </Loading>
        }
      >
        {({ pages }) => {
          const entries = pages.flatMap(({ data }) => data)
          if (entries.length === 0) return <NoEntries filters={filters} onChange={changeFilters} />
          return (
            <>
              <EntryList entries={entries} />
              {query.hasNextPage && (
                <div class="audit-more">
                  <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                    Show more
                  </Button>
                </div>
              )}
            </>
          )
        }}
      </QueryContent>
    </Page>
  )
}

interface FilterProps {
  filters: AuditFilters
  onChange: (change: Partial<AuditFilters>) => void
}

const objectLabels: Record<AuditObject, string> = {
  ...auditObjectNames,
  assignment: 'notification of a monitor',
  user: 'sign-in of a member',
}

const toLabel = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

function Toolbar({ filters, objectName, onChange }: FilterProps & { objectName: string | undefined }) {
  const { object, objectId, from, to, search } = filters
  return (
    <search class="audit-toolbar">
      <SearchBox
        label="Search by person or name"
        placeholder="Search by person or name"
        value={search}
        onValue={(text) => onChange({ search: text })}
      />
      <select
        class="input audit-object"
        aria-label="Kind"
        value={object}
        onChange={(event) => onChange({ object: event.currentTarget.value as AuditObject | '', objectId: '' })}
      >
        <option value="">Everything</option>
        {auditObjects.map((each) => (
          <option key={each} value={each}>
            {toLabel(objectLabels[each])}
          </option>
        ))}
      </select>
      <label class="audit-date">
        <span class="muted small">From</span>
        <input
          class="input"
          type="date"
          value={from}
          max={to || undefined}
          onChange={(event) => onChange({ from: event.currentTarget.value })}
        />
      </label>
      <label class="audit-date">
        <span class="muted small">To</span>
        <input
          class="input"
          type="date"
          value={to}
          min={from || undefined}
          onChange={(event) => onChange({ to: event.currentTarget.value })}
        />
      </label>
      {objectId !== '' && (
        <button type="button" class="chip audit-chip" onClick={() => onChange({ objectId: '' })}>
          <span class="clip">Only {objectName ?? `one ${object === '' ? 'object' : objectLabels[object]}`}</span>
          <X size={13} aria-hidden="true" />
          <span class="hidden-text">: remove filter</span>
        </button>
      )}
    </search>
  )
}

function NoEntries({ filters, onChange }: FilterProps) {
  const hasFilters = Object.keys(toAuditQuery(filters)).length > 0
  return (
    <div class="panel">
      <EmptyState title={hasFilters ? 'No matching changes' : 'No changes yet'} icon={ScrollText}>
        <p>
          Every change of a setting is recorded here, however it was made. Entries are kept for {AUDIT_RETENTION_DAYS}{' '}
          days.
        </p>
        {hasFilters && <Button onClick={() => onChange(noAuditFilters)}>Clear filters</Button>}
      </EmptyState>
    </div>
  )
}
