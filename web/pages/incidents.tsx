/** Lists the incidents of all monitors, with filters. */
import { CircleCheck } from 'lucide-preact'
import { Button, ButtonLink } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { EmptyState, Loading, QueryContent, Skeleton } from '../components/states.tsx'
import { browserTimeZone, pluralize } from '../lib/format.ts'
import { type Overview, useOverview } from '../lib/queries.ts'
import { mergeTags } from '../lib/tags.ts'
import { useLive } from '../lib/use-live.ts'
import {
  type ChangeIncidentFilters,
  countIncidentFilters,
  describeNoIncidents,
  type IncidentFilters,
  leavesOutSample,
  noIncidentFilters,
  useIncidentFilters,
} from './incidents/filters.ts'
import { IncidentList } from './incidents/list.tsx'
import { subtractSample, useIncidentList } from './incidents/queries.ts'
import { IncidentsToolbar } from './incidents/toolbar.tsx'
import { formatCalendarDay } from './website/calendar.ts'
import './incidents/incidents.css'

export default function IncidentsPage() {
  useLive()
  const today = formatCalendarDay(browserTimeZone, Date.now())
  const [filters, changeFilters] = useIncidentFilters(today)
  const { data: overview } = useOverview()
  const isSampleLeftOut = overview !== undefined && leavesOutSample(filters, overview)
  const query = useIncidentList(filters, today, isSampleLeftOut)
  const meta = query.data?.pages[0]?.meta
  const counts = meta && isSampleLeftOut ? subtractSample(meta) : meta
  const unacknowledged = counts && counts.open - counts.acknowledged
  return (
    <Page
      title={unacknowledged ? pluralize(unacknowledged, 'unacknowledged incident') : 'Incidents'}
      heading="Incidents"
    >
      <IncidentsToolbar filters={filters} onChange={changeFilters} today={today} counts={counts} overview={overview} />
      {isSampleLeftOut && <p class="muted small incidents-note">The numbers leave out the sample shop.</p>}
      <QueryContent query={query} loading={<ListSkeleton />}>
        {({ pages }) => {
          const incidents = pages.flatMap(({ data }) => data)
          const total = pages[0]?.meta.total ?? 0
          return (
            <>
              <p class="hidden-text" role="status">
                {pluralize(total, 'incident')}
              </p>
              {incidents.length === 0 ? (
                <NoIncidents filters={filters} overview={overview} onChange={changeFilters} />
              ) : (
                <IncidentList
                  incidents={incidents}
                  total={total}
                  query={query}
                  onTag={(tag) => changeFilters({ tags: mergeTags(filters.tags, [tag]) })}
                />
              )}
            </>
          )
        }}
      </QueryContent>
    </Page>
  )
}

interface NoIncidentsProps {
  filters: IncidentFilters
  overview: Overview | undefined
  onChange: ChangeIncidentFilters
}

function NoIncidents({ filters, overview, onChange }: NoIncidentsProps) {
  if (overview?.monitors.length === 0) {
    return (
      <EmptyState title="No incidents yet" icon={CircleCheck}>
        <p>When a monitor goes down, its incident appears here. Add a monitor to watch a website, an API or a job.</p>
        <ButtonLink kind="primary" to="/monitors/new" needs="edit">
          Add your first monitor
        </ButtonLink>
      </EmptyState>
    )
  }
  if (countIncidentFilters(filters) > 0) {
    return (
      <EmptyState title={`${describeNoIncidents(filters)} match these filters`}>
        <Button onClick={() => onChange(noIncidentFilters)}>Clear filters</Button>
      </EmptyState>
    )
  }
  const isLimited = filters.period !== 'all' || filters.state !== undefined
  return (
    <EmptyState title={describeNoIncidents(filters)} icon={CircleCheck}>
      <p>When a monitor goes down, its incident appears here immediately.</p>
      {isLimited && <Button onClick={() => onChange({ state: undefined, period: 'all' })}>Show all incidents</Button>}
    </EmptyState>
  )
}

const ListSkeleton = () => (
  <Loading what="incidents">
    <Skeleton height="28rem" />
  </Loading>
)
