/** The page of a website that may be seen. */
import { useEffect, useState } from 'preact/hooks'
import { Button, ButtonLink } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { ErrorState } from '../../components/states.tsx'
import { ApiProblem } from '../../lib/api.ts'
import { keys, queryClient } from '../../lib/queries.ts'
import type { ShownWebsite } from '../../lib/website-by-domain.ts'
import { NotFoundPage } from '../not-found.tsx'
import { FilterChips } from './filter-chips.tsx'
import { toggleFilter } from './filters.ts'
import { MonitorLinks, VisitorsNow, WebsiteLink } from './heading.tsx'
import { LiveTraffic } from './live-traffic.tsx'
import { Locked } from './locked-website.tsx'
import { PeriodPicker } from './period-picker.tsx'
import { useStatistics } from './queries.ts'
import { Placeholder, Statistics } from './statistics-view.tsx'
import { useToday } from './use-today.ts'
import { useView } from './view.ts'
import { Waiting } from './waiting-panel.tsx'

/** Since the page was loaded. */
const unlocked = new Set<number>()

export function StatisticsPage({ website }: { website: ShownWebsite }) {
  const { id, domain, timeZone, isOwner, monitors } = website
  const [isLocked, setLocked] = useState(website.isLocked && !unlocked.has(id))
  const today = useToday(timeZone)
  const [view, change] = useView(today)
  const isWaiting = website.hasTraffic === false
  const statistics = useStatistics(id, view, { isPolling: !isOwner, isOn: !isLocked && !isWaiting })
  const { error } = statistics
  // Whether zeros are all there is, or nothing was ever counted, is about to be known.
  const isUndecided = website.hasTraffic === undefined && statistics.data?.totals.visits === 0
  const data = isUndecided ? undefined : statistics.data
  useEffect(() => {
    // What was asked for before the first visit is not what is shown after it.
    if (isWaiting) queryClient.removeQueries({ queryKey: keys.statistics(id) })
  }, [isWaiting, id])

  const code = error instanceof ApiProblem ? error.code : undefined
  if (isLocked || code === 'password_required') {
    const onUnlocked = () => {
      unlocked.add(id)
      setLocked(false)
      void queryClient.resetQueries({ queryKey: keys.statistics(id) })
    }
    return <Locked id={id} domain={domain} onUnlocked={onUnlocked} />
  }
  if (code === 'not_found') return <NotFoundPage />
  return (
    <Page
      title={domain}
      heading={<WebsiteLink domain={domain} />}
      actions={isOwner && <ButtonLink to={`/${domain}/settings`}>Settings</ButtonLink>}
    >
      {isOwner && <LiveTraffic websiteId={id} isFiltered={view.filters.length > 0} isWaiting={isWaiting} />}
      <div class="stack">
        <div class="website-state">
          <VisitorsNow count={website.visitorsNow ?? data?.visitors_now} />
          {monitors.length > 0 && <MonitorLinks monitors={monitors} />}
        </div>
        {isWaiting ? (
          <Waiting domain={domain} />
        ) : (
          <>
            <div class="website-tools">
              <PeriodPicker view={view} today={today} change={change} />
              <Button
                aria-pressed={view.isCompared}
                title="Show the numbers of as many days before"
                onClick={() => change({ isCompared: !view.isCompared })}
              >
                Compare
              </Button>
              <FilterChips filters={view.filters} onChange={(filters) => change({ filters })} />
            </div>
            {error !== null && <ErrorState error={error} retry={() => void statistics.refetch()} />}
            {data === undefined ? (
              error === null && <Placeholder />
            ) : (
              <Statistics
                data={data}
                view={view}
                today={today}
                monitors={monitors}
                isStale={statistics.isPlaceholderData}
                onFilter={(filter) => change({ filters: toggleFilter(view.filters, filter) })}
              />
            )}
          </>
        )}
      </div>
    </Page>
  )
}
