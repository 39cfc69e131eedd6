/** Answers the questions of src/traffic/counting by counting plain objects, one by one. It shares no code with the engine. */
import type { FilterCondition, Question } from '../../src/traffic/counting/question.ts'
import { type Dimension, dimensionTable, type VisitDimension } from '../../src/traffic/model/dimensions.ts'
import type { SampleHit, SampleRows, SampleVisit } from './random-part.ts'

interface MatchingVisit {
  visit: SampleVisit
  /** The page views and custom events that match. */
  hits: SampleHit[]
}

const HOURS = 25

/** Ids and their counts. Counts of 0 are omitted. */
export type Counts = Record<number, number>

export interface NaiveAnswer {
  totals: Record<'visitors' | 'visits' | 'bounces' | 'durationMs' | 'views' | 'events', number>
  panels: Partial<Record<Dimension, Counts>>
  hours: Record<string, number[]> | undefined
  details: Record<string, Counts> | undefined
  storedVisits: number
}

const meets = (conditions: readonly FilterCondition[], dimension: Dimension, value: number) =>
  conditions.every((condition) => condition.dimension !== dimension || (value !== 0 && condition.ids.includes(value)))

const isOfVisit = (dimension: Dimension): dimension is VisitDimension => dimension !== 'page' && dimension !== 'event'

/** A visit matches if its own values do, and if one of its events does. With a filter by event, this must be a custom event. */
function findMatchingVisits({ visits, events }: SampleRows, conditions: readonly FilterCondition[]): MatchingVisit[] {
  const eventsByVisit = Map.groupBy(events, ({ visitId }) => visitId)
  const hasCondition = (dimension: Dimension) => conditions.some((condition) => condition.dimension === dimension)
  return visits.flatMap((visit) => {
    for (const { dimension } of conditions)
      if (isOfVisit(dimension) && !meets(conditions, dimension, visit.values[dimension])) return []
    const hits = (eventsByVisit.get(visit.id) ?? []).filter(
      ({ kind, page, name }) =>
        kind !== 'engagement' &&
        meets(conditions, 'page', page) &&
        (kind === 'view' || meets(conditions, 'event', name)),
    )
    const isMatching =
      conditions.length === 0 || hits.some(({ kind }) => (hasCondition('event') ? kind === 'custom' : true))
    return isMatching ? [{ visit, hits }] : []
  })
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
const countKind = (hits: readonly SampleHit[], kind: SampleHit['kind']) =>
  hits.filter((hit) => hit.kind === kind).length
const countVisitors = (visits: readonly MatchingVisit[]) => new Set(visits.map(({ visit }) => visit.visitor)).size
const isBounce = ({ views, actions }: SampleVisit) => views <= 1 && actions === 0
const getDuration = ({ startedAt, lastAt }: SampleVisit) => lastAt - startedAt

function countTotals(visits: readonly MatchingVisit[]): NaiveAnswer['totals'] {
  return {
    visitors: countVisitors(visits),
    visits: visits.length,
    bounces: visits.filter(({ visit }) => isBounce(visit)).length,
    durationMs: sum(visits.map(({ visit }) => getDuration(visit))),
    views: sum(visits.map(({ hits }) => countKind(hits, 'view'))),
    events: sum(visits.map(({ hits }) => countKind(hits, 'custom'))),
  }
}

/** Counts distinct keys by their value. */
function countByValue(pairs: readonly { value: number; key: unknown }[]): Counts {
  const keysByValue = new Map<number, Set<unknown>>()
  for (const { value, key } of pairs) if (value !== 0) keysByValue.getOrInsertComputed(value, () => new Set()).add(key)
  return Object.fromEntries([...keysByValue].map(([value, keys]) => [value, keys.size]))
}

function countPanel(visits: readonly MatchingVisit[], dimension: Dimension): Counts {
  const { scope } = dimensionTable[dimension]
  const hits = visits.flatMap((visit) => visit.hits)
  if (scope === 'view')
    return countByValue(hits.filter(({ kind }) => kind === 'view').map((hit) => ({ value: hit.page, key: hit })))
  if (scope === 'event')
    return countByValue(hits.filter(({ kind }) => kind === 'custom').map((hit) => ({ value: hit.name, key: hit })))
  return countByValue(
    visits.map(({ visit }) => ({ value: visit.values[dimension as VisitDimension], key: visit.visitor })),
  )
}

function countHours(visits: readonly MatchingVisit[]): NaiveAnswer['hours'] {
  const hours = Array.from({ length: HOURS }, (_, hour) => hour)
  const inHour = (kind: SampleHit['kind']) =>
    hours.map((hour) =>
      sum(
        visits.map(({ hits }) =>
          countKind(
            hits.filter((hit) => hit.hour === hour),
            kind,
          ),
        ),
      ),
    )
  const began = (count: (visit: MatchingVisit) => number) =>
    hours.map((hour) =>
      sum(
        visits.filter(({ visit }) => visit.hourBits.toString(2).split('').reverse().indexOf('1') === hour).map(count),
      ),
    )
  return {
    visitor_hours: hours.map((hour) =>
      countVisitors(visits.filter(({ hits }) => hits.some((hit) => hit.hour === hour))),
    ),
    view_hours: inHour('view'),
    event_hours: inHour('custom'),
    visits: began(() => 1),
    bounces: began(({ visit }) => Number(isBounce(visit))),
    durationMs: began(({ visit }) => getDuration(visit)),
    views: began(({ hits }) => countKind(hits, 'view')),
  }
}

/** Each value has the totals of the visits that have it. A page has only its own views, and an event only its own events. */
function countDetails(visits: readonly MatchingVisit[], dimension: Dimension): NaiveAnswer['details'] {
  const { scope } = dimensionTable[dimension]
  const visitsByValue = new Map<number, MatchingVisit[]>()
  for (const match of visits) {
    const values =
      scope === 'view'
        ? match.hits.map(({ page }) => page)
        : scope === 'event'
          ? match.hits.filter(({ kind }) => kind === 'custom').map(({ name }) => name)
          : [match.visit.values[dimension as VisitDimension]]
    for (const value of new Set(values)) if (value !== 0) visitsByValue.getOrInsertComputed(value, () => []).push(match)
  }
  const details: Record<string, Counts> = {
    visitors: {},
    visits: {},
    views: {},
    events: {},
    bounces: {},
    durationMs: {},
  }
  for (const [value, matches] of visitsByValue) {
    const ownHits = matches.map(({ visit, hits }) => ({
      visit,
      hits: hits.filter(({ kind, page, name }) =>
        scope === 'view' ? page === value : scope !== 'event' || kind === 'view' || name === value,
      ),
    }))
    const totals = countTotals(ownHits)
    for (const name of Object.keys(details) as (keyof typeof totals)[]) {
      if (totals[name] !== 0 && (name !== 'events' || scope === 'event'))
        (details[name] as Counts)[value] = totals[name]
    }
  }
  return details
}

/** What a request at that time would have returned. */
function countUntil(rows: SampleRows, conditions: readonly FilterCondition[], until: number): NaiveAnswer['totals'] {
  const eventsByVisit = Map.groupBy(rows.events, ({ visitId }) => visitId)
  const visitsThen = rows.visits
    .filter(({ startedAt }) => startedAt < until)
    .map((visit): SampleVisit => {
      const events = eventsByVisit.get(visit.id)
      if (events === undefined) return visit
      const eventsThen = events.filter(({ at }) => at < until)
      const customs = countKind(eventsThen, 'custom')
      return {
        ...visit,
        lastAt: Math.max(visit.startedAt, ...eventsThen.map(({ at }) => at)),
        views: countKind(eventsThen, 'view'),
        actions: visit.actions === 0 ? 0 : customs,
      }
    })
  const eventsThen = rows.events.filter(({ at }) => at < until)
  return countTotals(findMatchingVisits({ visits: visitsThen, events: eventsThen }, conditions))
}

export function countNaively(rows: SampleRows, question: Question): NaiveAnswer {
  const answer: NaiveAnswer = {
    totals: { visitors: 0, visits: 0, bounces: 0, durationMs: 0, views: 0, events: 0 },
    panels: {},
    hours: undefined,
    details: undefined,
    storedVisits: 0,
  }
  const { conditions } = question
  if (question.kind === 'until')
    return { ...answer, totals: countUntil(rows, conditions, question.until), storedVisits: rows.visits.length }
  const visits = findMatchingVisits(rows, conditions)
  if (question.kind === 'details')
    return {
      ...answer,
      totals: { ...answer.totals, visits: visits.length },
      details: countDetails(visits, question.dimension),
    }
  const totals = countTotals(visits)
  return {
    ...answer,
    totals: question.totals ? totals : { ...answer.totals, visitors: totals.visitors },
    panels: Object.fromEntries(question.panels.map((name) => [name, countPanel(visits, name)])),
    hours: question.hours ? countHours(visits) : undefined,
  }
}
