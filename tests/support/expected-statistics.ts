/** Computes the expected statistics by counting, one by one, the events that a test sent. */
import { countHours, formatHourStart, listDays, localDay, localDayAt } from '../../src/lib/local-day.ts'
import { DAY_MS, HOUR_MS } from '../../src/shared/time.ts'

/** An event that a test sent, with the values that the statistics should have for it. */
export interface SampleEvent {
  at: number
  /** Later batches arrived after earlier ones were counted, even if their events are older. */
  batch?: number
  kind: 'pageview' | 'engagement' | 'custom'
  visitor: string
  page: string
  name?: string
  /**
   * Sent with `i: false`: the event doesn't count as an interaction. So a visit with only such events and at most one
   * page view is a bounce.
   */
  isPassive?: boolean
  referrer?: string
  source?: string
  campaign?: string
  hostname?: string
  country?: string
  continent?: string
  region?: string
  city?: string
  language?: string
  browser?: string
  os?: string
  device?: string
  resolution?: string
}

/** A visit ends after this time without an event. */
const VISIT_TIMEOUT_MS = 30 * 60_000
const visitorFields = [
  'continent',
  'country',
  'region',
  'city',
  'language',
  'browser',
  'os',
  'device',
  'resolution',
] as const
const visitFields = ['referrer', 'source', 'campaign', 'hostname'] as const

interface CountedVisit {
  firstEvent: SampleEvent
  events: SampleEvent[]
  lastAt: number
  /** The visitor's first event of the day, which determines the visitor's fields. */
  firstEventOfDay: SampleEvent
}

export type EventFilter = (
  event: SampleEvent,
  visit: { landingPage: string; exitPage: string; firstEvent: SampleEvent },
) => boolean

export interface ExpectedFilter {
  /** Whether an event matches the filters. Without this function, every event matches. */
  matches?: EventFilter
  /** Set for filters by event: only visits with a matching custom event count, and there is no bounce rate. */
  needsEvent?: boolean
  /** Only events before this time count. */
  until?: number
}

type SeriesUnit = 'hour' | 'day' | 'week' | 'month'

interface VisitFigures {
  firstEvent: SampleEvent
  /** The day and the hour in which the visit began. */
  day: string
  hour: string
  durationMs: number
  isBounce: boolean
  /** Page views that match the filters. */
  views: number
}

type RowVisit = VisitFigures & { visitor: string }

/** Computes every statistic from the list of events alone, independently of the server's code. */
export function computeExpectedStatistics(
  events: readonly SampleEvent[],
  zone: string,
  range: { from: string; to: string },
  { matches, needsEvent = false, until = Number.POSITIVE_INFINITY }: ExpectedFilter = {},
) {
  const getDay = (event: SampleEvent) => findLocalTime(zone, event.at).day
  const panels: Record<string, Map<string, number>> = {}
  const incrementCount = (panel: string, value: string | undefined) => {
    if (value === undefined) return
    panels[panel] ??= new Map()
    panels[panel].set(value, (panels[panel].get(value) ?? 0) + 1)
  }
  /** For each panel and value, the visits that have the value. */
  const visitsOfRows = new Map<string, RowVisit[]>()
  const totals = { visitors: 0, pageviews: 0, visits: 0, events: 0 }
  const visitFigures: VisitFigures[] = []
  const eventsInRange = events.filter((event) => getDay(event) >= range.from && getDay(event) <= range.to)
  const eventsByDayAndVisitor = Map.groupBy(eventsInRange, (event) => `${getDay(event)} ${event.visitor}`)
  for (const visitorEvents of eventsByDayAndVisitor.values()) {
    const visits = groupIntoVisits(visitorEvents).map((visit) => ({
      ...visit,
      events: visit.events.filter(({ at }) => at < until),
      countedEvents: visit.events.filter((event) => event.at < until && isCounted(event, visit)),
      // The server doesn't store which custom events are passive, only whether all custom events of a visit are.
      hasActions: visit.events.some(({ kind, isPassive }) => kind === 'custom' && !isPassive),
    }))
    const matchingVisits = visits.filter(
      ({ firstEvent, countedEvents }) =>
        firstEvent.at < until && countedEvents.some(({ kind }) => kind === 'custom' || !needsEvent),
    )
    if (matchingVisits.length === 0) continue
    const day = getDay(visitorEvents[0] as SampleEvent)
    totals.visitors++
    incrementCount('visitors', day)
    const countedValues = new Set<string>()
    const countOnce = (panel: string, value: string | undefined) => {
      if (value === undefined || countedValues.has(`${panel} ${value}`)) return
      countedValues.add(`${panel} ${value}`)
      incrementCount(panel, value)
    }
    for (const visit of matchingVisits) {
      const views = visit.events.filter(({ kind }) => kind === 'pageview')
      totals.visits++
      const figures: VisitFigures = {
        firstEvent: visit.firstEvent,
        day,
        hour: getHourLabel(findEarliest(visit.events.filter(({ kind }) => kind !== 'engagement'))),
        durationMs: Math.max(...visit.events.map(({ at }) => at), visit.firstEvent.at) - visit.firstEvent.at,
        isBounce: views.length <= 1 && !(visit.hasActions && visit.events.some(({ kind }) => kind === 'custom')),
        views: visit.countedEvents.filter(({ kind }) => kind === 'pageview').length,
      }
      visitFigures.push(figures)
      const addToRow = (panel: string, value: string, rowViews = figures.views) => {
        const rowVisits = visitsOfRows.getOrInsertComputed(`${panel} ${value}`, () => [])
        rowVisits.push({ ...figures, visitor: visit.firstEvent.visitor, views: rowViews })
      }
      const countVisit = (panel: string, value: string | undefined) => {
        countOnce(panel, value)
        if (value !== undefined) addToRow(panel, value)
      }
      for (const name of visitorFields) countVisit(name, visit.firstEventOfDay[name])
      for (const name of visitFields) countVisit(name, visit.firstEvent[name])
      countVisit('landing_page', views[0]?.page)
      countVisit('exit_page', views.at(-1)?.page)
      for (const [page, pageEvents] of Map.groupBy(visit.countedEvents, (event) => event.page)) {
        addToRow('page', page, pageEvents.filter(({ kind }) => kind === 'pageview').length)
      }
      for (const name of new Set(visit.countedEvents.map((event) => event.name))) {
        if (name !== undefined) addToRow('event', name)
      }
      for (const event of visit.countedEvents) {
        countOnce('visitors_hours', getHourLabel(event))
        if (event.kind === 'custom') {
          totals.events++
          incrementCount('events', day)
          incrementCount('events_hours', getHourLabel(event))
          incrementCount('event', event.name)
        } else {
          totals.pageviews++
          incrementCount('pageviews', day)
          incrementCount('pageviews_hours', getHourLabel(event))
          incrementCount('page', event.page)
        }
      }
    }
  }
  return {
    totals: { ...totals, ...computeExpectedAverages(visitFigures, needsEvent) },
    rows: (name: string) => [...(panels[name] ?? [])].map(([value, count]) => ({ value, count })),
    /** The rows of a panel with `details`. */
    detailedRows: (name: string) =>
      [...(panels[name] ?? [])].map(([value, count]) => {
        const visits = visitsOfRows.get(`${name} ${value}`) ?? []
        const { bounce_rate, visit_duration } = computeExpectedAverages(visits, needsEvent || name === 'event')
        // A visitor counts once a day.
        const visitors = new Set(visits.map(({ day, visitor }) => `${day} ${visitor}`)).size
        const pageviews = visits.reduce((sum, { views }) => sum + views, 0)
        return { value, count, visitors, visits: visits.length, pageviews, bounce_rate, visit_duration }
      }),
    series: (name: string) => listSeriesLabels(name).map((value) => ({ value, count: panels[name]?.get(value) ?? 0 })),
    /** The number of visits that began on each host in each 5 minutes, by the host and the start of the 5 minutes. */
    visitSlots: () => {
      const slots = visitFigures.map(({ firstEvent: { at, hostname = '' } }) => {
        const time = Temporal.Instant.fromEpochMilliseconds(at)
        return `${hostname} ${time.round({ smallestUnit: 'minute', roundingIncrement: 5, roundingMode: 'floor' })}`
      })
      return Object.fromEntries([...Map.groupBy(slots, (slot) => slot)].map(([slot, same]) => [slot, same.length]))
    },
    /** The series of an overview, without `incomplete`. */
    overviewSeries: (unit: SeriesUnit) => {
      const suffix = unit === 'hour' ? '_hours' : ''
      const toKey = (label: string) => (unit === 'hour' ? label : toSlotKey(label, unit))
      const labelsByKey = Map.groupBy(listSeriesLabels(`visitors${suffix}`), toKey)
      const slots = [...labelsByKey].map(([key, labels]) => ({ key, value: labels[0] as string, labels }))
      const sumLabels = (name: string) =>
        slots.map(({ value, labels }) => ({
          value,
          count: labels.reduce((sum, label) => sum + (panels[`${name}${suffix}`]?.get(label) ?? 0), 0),
        }))
      const visitsByKey = Map.groupBy(visitFigures, ({ hour, day }) => (unit === 'hour' ? hour : toKey(day)))
      const averages = slots.map(({ key, value }) => {
        const visits = visitsByKey.get(key) ?? []
        return { value, visits: visits.length, ...computeExpectedAverages(visits, needsEvent) }
      })
      const pickAverage = (name: Exclude<keyof (typeof averages)[number], 'value'>) =>
        averages.map(({ value, [name]: count }) => ({ value, count }))
      return {
        unit,
        visitors: sumLabels('visitors'),
        pageviews: sumLabels('pageviews'),
        events: sumLabels('events'),
        visits: pickAverage('visits'),
        bounce_rate: pickAverage('bounce_rate'),
        visit_duration: pickAverage('visit_duration'),
        views_per_visit: pickAverage('views_per_visit'),
      }
    },
  }

  function isCounted(event: SampleEvent, visit: CountedVisit): boolean {
    if (event.kind === 'engagement') return false
    const views = visit.events.filter(({ kind }) => kind === 'pageview')
    const context = {
      landingPage: views[0]?.page ?? '',
      exitPage: views.at(-1)?.page ?? '',
      firstEvent: visit.firstEvent,
    }
    return matches === undefined || matches({ ...event, ...pickVisitorFields(visit.firstEventOfDay) }, context)
  }

  function getHourLabel(event: SampleEvent): string {
    return findLocalTime(zone, event.at).hour
  }

  function listSeriesLabels(name: string): string[] {
    const days = listDays(range.from, range.to)
    if (!name.endsWith('_hours')) return days
    return days.flatMap((text) => {
      const day = localDay(zone, text)
      return Array.from({ length: countHours(day) }, (_, hour) => formatHourStart(zone, day, hour))
    })
  }
}

interface LocalTime {
  day: string
  /** When the hour began. */
  hour: string
}

/** Finding the local time takes longer than all counting, and tests count the same events many times. */
const localTimes = new Map<string, LocalTime>()

function findLocalTime(zone: string, at: number): LocalTime {
  return localTimes.getOrInsertComputed(`${zone} ${at}`, () => {
    const day = localDayAt(zone, at)
    return { day: day.day, hour: formatHourStart(zone, day, Math.floor((at - day.startsAt) / HOUR_MS)) }
  })
}

/** Days with the same key are in the same week, which starts on Monday, or in the same month. */
function toSlotKey(day: string, unit: SeriesUnit): string {
  if (unit === 'month') return day.slice(0, 7)
  // 5 January 1970 was a Monday.
  return unit === 'week' ? String(Math.floor((Date.parse(day) - Date.parse('1970-01-05')) / (7 * DAY_MS))) : day
}

function computeExpectedAverages(visits: readonly VisitFigures[], needsEvent: boolean) {
  const average = (pick: (visit: VisitFigures) => number) =>
    visits.length === 0 ? null : visits.reduce((sum, visit) => sum + pick(visit), 0) / visits.length
  const averageMs = average(({ durationMs }) => durationMs)
  const roundToTenth = (value: number | null) => (value === null ? null : Math.round(value * 10) / 10)
  return {
    bounce_rate: needsEvent ? null : roundToTenth(average(({ isBounce }) => (isBounce ? 100 : 0))),
    visit_duration: averageMs === null ? null : Math.round(averageMs / 1000),
    views_per_visit: roundToTenth(average(({ views }) => views)),
  }
}

function pickVisitorFields(event: SampleEvent): Partial<SampleEvent> {
  return Object.fromEntries(visitorFields.map((name) => [name, event[name]]))
}

const findEarliest = (events: readonly SampleEvent[]) =>
  events.reduce((earliest, event) => (event.at < earliest.at ? event : earliest))

/** Groups the events of one visitor on one day into visits. An event that arrives late joins the last visit. */
function groupIntoVisits(events: readonly SampleEvent[]): CountedVisit[] {
  const visits: CountedVisit[] = []
  const compare = (one: SampleEvent, other: SampleEvent) => (one.batch ?? 0) - (other.batch ?? 0) || one.at - other.at
  for (const event of events.toSorted(compare)) {
    const lastVisit = visits.at(-1)
    if (lastVisit !== undefined && event.at - lastVisit.lastAt < VISIT_TIMEOUT_MS) {
      lastVisit.events.push(event)
      lastVisit.lastAt = Math.max(lastVisit.lastAt, event.at)
    } else if (event.kind !== 'engagement') {
      visits.push({
        firstEvent: event,
        events: [event],
        lastAt: event.at,
        firstEventOfDay: visits[0]?.firstEvent ?? event,
      })
    }
  }
  return visits
}
