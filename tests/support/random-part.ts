/** Random visits and events of one day as plain objects, and the same as a part. Tests count the objects one by one. */
import { buildPart as buildPartOfRows, type EventRows, type VisitRows } from '../../src/traffic/blocks/rows-to-part.ts'
import type { TrafficPart } from '../../src/traffic/blocks/traffic-part.ts'
import {
  type VisitDimension,
  type VisitorDimension,
  visitDimensions,
  visitorDimensions,
} from '../../src/traffic/model/dimensions.ts'
import { type EventKind, eventKinds } from '../../src/traffic/model/event.ts'
import { createRandomSource } from './random-source.ts'

type VisitValues = Record<VisitDimension | VisitorDimension, number>

export interface SampleVisit {
  visitor: number
  id: number
  startedAt: number
  lastAt: number
  views: number
  actions: number
  hourBits: number
  /** 0 stands for an unknown value. */
  values: VisitValues
}

export interface SampleHit {
  /** 0 if the event belongs to no visit. */
  visitId: number
  kind: EventKind
  at: number
  hour: number
  page: number
  name: number
  engagedMs: number | null
  props: string | null
}

export interface SampleRows {
  visits: SampleVisit[]
  events: SampleHit[]
}

export interface RandomRowsOptions {
  visitorCount?: number
  /** Adds a number to the ids of all values, visitors and visits. */
  idOffset?: number
  /** How many times as many values as usual each dimension has. */
  valueFactor?: number
  /** Dimensions without any known value. */
  unknownDimensions?: readonly string[]
  /** Whether the totals of some visits contradict their events, as after a failed upgrade. Blocks keep them as they are. */
  hasOddTotals?: boolean
}

/** 25 October 2026 had 25 hours in Berlin. */
export const DAY_START = Date.parse('2026-10-24T22:00:00Z')
const HOUR_MS = 3_600_000
const HOURS_OF_DAY = 25
const MAX_LATE_MS = 600_000
const allDimensions = [...visitDimensions, ...visitorDimensions]

export function createRandomRows(seed: number, options: RandomRowsOptions = {}): SampleRows {
  const { visitorCount = 20, idOffset = 0, valueFactor = 1, unknownDimensions = [], hasOddTotals = false } = options
  const random = createRandomSource(seed)
  const below = (limit: number) => Math.floor(random.uniform() * limit)
  const chance = (probability: number) => random.uniform() < probability
  /** An id up to `limit`, small ones more often. */
  const value = (name: string, limit: number) =>
    unknownDimensions.includes(name) || chance(0.15)
      ? 0
      : 1 + Math.floor(random.uniform() ** 2 * limit * valueFactor) + idOffset
  const toHour = (at: number) => Math.min(HOURS_OF_DAY - 1, Math.max(0, Math.floor((at - DAY_START) / HOUR_MS)))
  const rows: SampleRows = { visits: [], events: [] }
  let visitId = idOffset
  for (let visitorIndex = 0; visitorIndex < visitorCount; visitorIndex++) {
    const visitor = idOffset + (chance(0.5) ? below(2 ** 52) : visitorIndex) + 1
    const visitorValues = Object.fromEntries(visitorDimensions.map((name) => [name, value(name, 5)]))
    let startedAt = DAY_START + below(HOURS_OF_DAY * HOUR_MS)
    for (let visitCount = random.poisson(0.6) + 1; visitCount > 0; visitCount--) {
      visitId += 1 + below(3)
      const events = chance(0.06) ? [] : createEvents(visitId, startedAt)
      const lastAt =
        events.reduce((last, { at }) => Math.max(last, at), startedAt) + (events.length > 0 ? 0 : below(9_000))
      const hits = events.filter(({ kind }) => kind !== 'engagement')
      const isPassive = chance(0.3)
      rows.visits.push({
        visitor,
        id: visitId,
        startedAt,
        lastAt,
        views: hasOddTotals && chance(0.1) ? below(9) : hits.filter(({ kind }) => kind === 'view').length,
        actions: isPassive ? 0 : hits.filter(({ kind }) => kind === 'custom').length,
        hourBits: hasOddTotals && chance(0.1) ? below(2 ** 25) : hits.reduce((bits, { hour }) => bits | (1 << hour), 0),
        values: {
          ...Object.fromEntries(visitDimensions.map((name) => [name, value(name, 6)])),
          ...visitorValues,
        } as VisitValues,
      })
      rows.events.push(...events)
      startedAt += 1 + below(4 * HOUR_MS)
    }
  }
  for (let orphanCount = random.poisson(2); orphanCount > 0; orphanCount--)
    rows.events.push(createEvent(0, 'engagement', DAY_START + below(HOUR_MS)))
  return rows

  function createEvents(ofVisit: number, startedAt: number): SampleHit[] {
    const events = [createEvent(ofVisit, chance(0.85) ? 'view' : 'custom', startedAt)]
    let at = startedAt
    for (let count = random.poisson(2.3); count > 0; count--) {
      // Some events have the same millisecond, and some come after the clock of the server jumped.
      at += chance(0.2) ? 0 : chance(0.02) ? 30 * HOUR_MS : below(1_500_000)
      const eventAt = chance(0.06) ? startedAt - below(MAX_LATE_MS) : at
      const draw = random.uniform()
      events.push(createEvent(ofVisit, draw < 0.5 ? 'view' : draw < 0.75 ? 'custom' : 'engagement', eventAt))
    }
    return chance(0.1)
      ? [...events, createEvent(ofVisit, 'engagement', at), createEvent(ofVisit, 'engagement', at)]
      : events
  }

  function createEvent(ofVisit: number, kind: EventKind, at: number): SampleHit {
    return {
      visitId: ofVisit,
      kind,
      at,
      hour: toHour(at),
      page: value('page', 12),
      name: kind === 'custom' ? value('event', 4) : 0,
      engagedMs: kind === 'engagement' && chance(0.9) ? below(100_000) : null,
      props:
        kind === 'custom' && chance(0.3)
          ? JSON.stringify({ plan: below(3), 'ü"\\\u2028': 'x'.repeat(below(4)) })
          : null,
    }
  }
}

/** Builds the part from rows in the columns in which PostgreSQL returns them. */
export const toPart = (rows: SampleRows): TrafficPart =>
  buildPartOfRows(toVisitRows(rows.visits), toEventRows(rows.events))

function toVisitRows(visits: readonly SampleVisit[]): VisitRows {
  return {
    visitors: Float64Array.from(visits, ({ visitor }) => visitor),
    ids: Float64Array.from(visits, ({ id }) => id),
    startedAt: Float64Array.from(visits, ({ startedAt }) => startedAt),
    lastAt: Float64Array.from(visits, ({ lastAt }) => lastAt),
    views: Int32Array.from(visits, ({ views }) => views),
    actions: Int32Array.from(visits, ({ actions }) => actions),
    hourBits: Int32Array.from(visits, ({ hourBits }) => hourBits),
    values: Object.fromEntries(
      allDimensions.map((name) => [name, Int32Array.from(visits, ({ values }) => values[name])]),
    ) as VisitRows['values'],
  }
}

function toEventRows(events: readonly SampleHit[]): EventRows {
  return {
    visitIds: Float64Array.from(events, ({ visitId }) => visitId),
    kinds: Int32Array.from(events, ({ kind }) => eventKinds[kind]),
    at: Float64Array.from(events, ({ at }) => at),
    hours: Int32Array.from(events, ({ hour }) => hour),
    pages: Int32Array.from(events, ({ page }) => page),
    names: Int32Array.from(events, ({ name }) => name),
    engagedMs: Int32Array.from(events, ({ engagedMs }) => engagedMs ?? -1),
    props: events.some(({ props }) => props !== null) ? events.map(({ props }) => props) : undefined,
  }
}

const kindsByNumber = new Map<number, EventKind>(
  Object.entries(eventKinds).map(([kind, number]) => [number, kind as EventKind]),
)

/** The inverse of `toPart`. Rows are in the order of the part. */
export function toRows({ visitors, visits, events, orphans }: TrafficPart): SampleRows {
  const rows: SampleRows = { visits: [], events: [] }
  let [visit, event] = [0, 0]
  for (const [visitorIndex, visitor] of visitors.ids.entries()) {
    for (const end = visit + at(visitors.visitCounts, visitorIndex); visit < end; visit++) {
      rows.visits.push({
        visitor,
        id: at(visits.ids, visit),
        startedAt: at(visits.startedAt, visit),
        lastAt: at(visits.startedAt, visit) + at(visits.durationMs, visit),
        views: at(visits.views, visit),
        actions: at(visits.actions, visit),
        hourBits: at(visits.hourBits, visit),
        values: {
          ...Object.fromEntries(visitDimensions.map((name) => [name, at(visits.values[name], visit)])),
          ...Object.fromEntries(visitorDimensions.map((name) => [name, at(visitors.values[name], visitorIndex)])),
        } as VisitValues,
      })
      for (const endEvent = event + at(visits.eventCounts, visit); event < endEvent; event++) {
        const engagedMs = at(events.engagedMs, event)
        rows.events.push({
          visitId: at(visits.ids, visit),
          kind: kindsByNumber.get(at(events.kinds, event)) as EventKind,
          at: at(events.at, event),
          hour: at(events.hours, event),
          page: at(events.pages, event),
          name: at(events.names, event),
          engagedMs: engagedMs === -1 ? null : engagedMs,
          props: events.props?.[event] ?? null,
        })
      }
    }
  }
  rows.events.push(
    ...orphans.map(({ kind, ...orphan }) => ({ visitId: 0, ...orphan, kind: kindsByNumber.get(kind) as EventKind })),
  )
  return rows
}

function at(values: ArrayLike<number>, index: number): number {
  const value = values[index]
  if (value === undefined) throw new RangeError(`There is no element ${index}`)
  return value
}

/** The order in which a part has its rows: by visitor, visit and time. Events of one millisecond stay in their order. */
export function sortRows({ visits, events }: SampleRows): SampleRows {
  const sortedVisits = visits.toSorted((one, other) => one.visitor - other.visitor || one.id - other.id)
  const positions = new Map(sortedVisits.map(({ id }, index) => [id, index]))
  const position = ({ visitId }: SampleHit) => positions.get(visitId) ?? Number.MAX_SAFE_INTEGER
  return {
    visits: sortedVisits,
    events: events.toSorted((one, other) => position(one) - position(other) || one.at - other.at),
  }
}

/** Brings the rows into a random order, but keeps the order of events of one visit and millisecond. */
export function shuffleRows({ visits, events }: SampleRows, seed: number): SampleRows {
  const random = createRandomSource(seed)
  const shuffle = <T>(list: readonly T[]) =>
    list
      .map((element) => ({ element, position: random.uniform() }))
      .sort((one, other) => one.position - other.position)
      .map(({ element }) => element)
  const groups = Map.groupBy(events, ({ visitId, at: time }) => `${visitId} ${time}`)
  const positions = shuffle(events.map(({ visitId, at: time }) => `${visitId} ${time}`))
  return { visits: shuffle(visits), events: positions.map((key) => groups.get(key)?.shift() as SampleHit) }
}
