/** The statistics page of a website, or its password form if the statistics are locked. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { useSearchParams } from 'wouter-preact'
import { NotFoundPage } from '../../components/not-found-page.tsx'
import { Page } from '../../components/page.tsx'
import { SampleBadge, SampleNotice } from '../../components/sample-data.tsx'
import { ErrorState } from '../../components/states.tsx'
import { toDisplayHost } from '../../lib/address.ts'
import { ApiProblem } from '../../lib/api.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import { useLive } from '../../lib/use-live.ts'
import type { ShownWebsite } from '../../lib/website-by-domain.ts'
import { SetupList } from '../new-website/setup-list.tsx'
import { formatCalendarDay } from './calendar.ts'
import { toggleFilter } from './filters.ts'
import { MonitorLinks, VisitorsNow, WebsiteActions, WebsiteHeading } from './heading.tsx'
import { LockedWebsite } from './locked-website.tsx'
import { useFirstDay, useStatistics } from './queries.ts'
import { StatisticsSkeleton } from './statistics-skeleton.tsx'
import { StatisticsView } from './statistics-view.tsx'
import { useWebsiteView } from './view.ts'
import { ViewTools } from './view-tools.tsx'
import { WaitingPanel } from './waiting-panel.tsx'

/** IDs of the websites whose password the user has entered since the page was loaded. */
const unlockedWebsiteIds = new Set<number>()

export function WebsiteStatisticsPage({ website }: { website: ShownWebsite }) {
  const { id, domain, timeZone, isOwner, monitors } = website
  const [isLocked, setLocked] = useState(website.isLocked && !unlockedWebsiteIds.has(id))
  const today = useToday(timeZone)
  const isWaitingForTraffic = website.hasTraffic === false
  const isReadable = !isLocked && !isWaitingForTraffic
  const isAllTime = useSearchParams()[0].get('period') === 'all'
  const firstDay = useFirstDay(id, today, isReadable && isAllTime)
  const [view, changeView] = useWebsiteView(today, firstDay.data ?? undefined)
  const statistics = useStatistics(id, view, {
    isPolling: !isOwner,
    isEnabled: isReadable && (!isAllTime || firstDay.isFetched),
  })
  const { error } = statistics
  // Empty statistics don't say whether the website has ever had traffic. The overview does, so wait for it before choosing
  // between the statistics and the instructions for installing the tracking snippet.
  const isTrafficUnknown = website.hasTraffic === undefined && statistics.data?.totals.visits === 0
  const data = isTrafficUnknown ? undefined : statistics.data
  useEffect(() => {
    // Drop the empty statistics from the cache, so that they don't appear briefly when the first visit arrives.
    if (isWaitingForTraffic) queryClient.removeQueries({ queryKey: queryKeys.statistics(id) })
  }, [isWaitingForTraffic, id])

  const errorCode = error instanceof ApiProblem ? error.code : undefined
  if (isLocked || errorCode === 'password_required') {
    const onUnlocked = () => {
      unlockedWebsiteIds.add(id)
      setLocked(false)
      void queryClient.resetQueries({ queryKey: queryKeys.statistics(id) })
    }
    return <LockedWebsite id={id} domain={domain} onUnlocked={onUnlocked} />
  }
  if (errorCode === 'not_found') return <NotFoundPage />
  return (
    <Page
      title={toDisplayHost(domain)}
      heading={
        <>
          <WebsiteHeading website={website} /> {website.isSample && <SampleBadge />}
        </>
      }
      actions={<WebsiteActions domain={domain} isOwner={isOwner} />}
    >
      {isOwner && (
        <LiveStatistics websiteId={id} isFiltered={view.filters.length > 0} isWaitingForTraffic={isWaitingForTraffic} />
      )}
      <div class="stack">
        {website.isSample && isOwner && <SampleNotice />}
        <div class="website-bar">
          <div class="website-status">
            <VisitorsNow count={website.visitorsNow ?? data?.visitors_now} />
            {monitors.length > 0 && <MonitorLinks monitors={monitors} />}
          </div>
          {!isWaitingForTraffic && (
            <ViewTools
              view={view}
              today={today}
              firstDay={data?.website.first_day ?? undefined}
              changeView={changeView}
            />
          )}
        </div>
        {isWaitingForTraffic ? (
          <WaitingPanel website={website} />
        ) : (
          <>
            {isOwner && !website.isSample && website.hasTraffic && <SetupList website={website} hasVisit isCompact />}
            {error !== null && <ErrorState error={error} retry={() => void statistics.refetch()} />}
            {data === undefined ? (
              error === null && <StatisticsSkeleton />
            ) : (
              <StatisticsView
                data={data}
                view={view}
                monitors={monitors}
                isStale={statistics.isPlaceholderData}
                changeView={changeView}
                onFilter={(filter) => changeView({ filters: toggleFilter(view.filters, filter) })}
              />
            )}
          </>
        )}
      </div>
    </Page>
  )
}

/** Today's date in the website's time zone. Re-renders every minute, so that an open page continues on the next day. */
function useToday(timeZone: string): string {
  const [, setTick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), 60_000)
    return () => clearInterval(timer)
  }, [])
  return formatCalendarDay(timeZone, Date.now())
}

const REFRESH_DELAY_MS = 2_000
/**
 * This is longer than REFRESH_DELAY_MS, because the server computes filtered statistics from individual visits, which
 * is slow.
 */
const FILTERED_REFRESH_DELAY_MS = 15_000

interface LiveStatisticsProps {
  websiteId: number
  isFiltered: boolean
  /** Whether the website still waits for its first visit. */
  isWaitingForTraffic: boolean
}

/** Refetches the statistics after new traffic, but waits for a delay between two refetches. */
function LiveStatistics({ websiteId, isFiltered, isWaitingForTraffic }: LiveStatisticsProps) {
  const timer = useRef<ReturnType<typeof setTimeout>>()
  useEffect(() => () => clearTimeout(timer.current), [])
  useLive({
    websiteId,
    onTraffic: () => {
      if (timer.current !== undefined) return
      const refresh = () => {
        timer.current = undefined
        const invalidate = (queryKey: readonly unknown[]) =>
          void queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false })
        invalidate(queryKeys.statistics(websiteId))
        if (isWaitingForTraffic) invalidate(queryKeys.overview)
      }
      const delayMs = isFiltered ? FILTERED_REFRESH_DELAY_MS : REFRESH_DELAY_MS
      timer.current = setTimeout(refresh, isWaitingForTraffic ? 0 : delayMs)
    },
  })
  return null
}
