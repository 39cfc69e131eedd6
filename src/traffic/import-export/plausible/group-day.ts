/** Groups the visits and events of a day for Plausible's tables. */
import type { TransactionQueries } from '../../../storage/transaction.ts'
import type { WebsiteDay } from '../../blocks/row-store.ts'
import type { TrafficPart } from '../../blocks/traffic-part.ts'
import { type VisitDimension, type VisitorDimension, visitorDimensions } from '../../model/dimensions.ts'
import { eventKinds } from '../../model/event.ts'
import { readDayParts } from '../day-parts.ts'

export type VisitColumn = VisitDimension | VisitorDimension

export interface VisitGroup {
  /** Value ids in the order of the columns. Null stands for an unknown value. */
  valueIds: (number | null)[]
  visitors: number
  visits: number
  durationMs: number
  bounces: number
  views: number
}

/**
 * Groups the visits of a day by the columns. For each value of the first column, `visitors` counts a visitor only once, in the
 * group of their first visit with that value.
 */
export async function groupVisits(
  q: TransactionQueries,
  day: WebsiteDay,
  columns: readonly [VisitColumn, ...VisitColumn[]],
): Promise<VisitGroup[]> {
  const groups = new Map<string, VisitGroup>()
  for await (const part of readDayParts(q, day)) addVisits(groups, part, columns)
  return [...groups.values()].sort(
    (one, other) => other.visitors - one.visitors || compareIds(one.valueIds, other.valueIds),
  )
}

function addVisits(groups: Map<string, VisitGroup>, part: TrafficPart, columns: readonly VisitColumn[]): void {
  const { visitors, visits } = part
  const readers = columns.map((name) => createValueReader(part, name))
  let visit = 0
  for (let visitor = 0; visitor < visitors.ids.length; visitor++) {
    const countedValues = new Set<number>()
    for (const end = visit + (visitors.visitCounts[visitor] as number); visit < end; visit++) {
      const ids = readers.map((read) => read(visitor, visit))
      const [first = 0] = ids
      if (first === 0) continue
      const group = groups.getOrInsertComputed(ids.join(), () => ({
        valueIds: ids.map((id) => (id === 0 ? null : id)),
        visitors: 0,
        visits: 0,
        durationMs: 0,
        bounces: 0,
        views: 0,
      }))
      if (!countedValues.has(first)) group.visitors++
      countedValues.add(first)
      group.visits++
      group.durationMs += visits.durationMs[visit] as number
      group.views += visits.views[visit] as number
      if ((visits.views[visit] as number) <= 1 && visits.actions[visit] === 0) group.bounces++
    }
  }
}

/** Returns a function that reads the value of a visit. */
function createValueReader({ visitors, visits }: TrafficPart, name: VisitColumn) {
  if ((visitorDimensions as readonly VisitColumn[]).includes(name)) {
    const values = visitors.values[name as VisitorDimension]
    return (visitor: number, _visit: number) => values[visitor] as number
  }
  const values = visits.values[name as VisitDimension]
  return (_visitor: number, visit: number) => values[visit] as number
}

/** Unknown values come last. */
function compareIds(ids: readonly (number | null)[], otherIds: readonly (number | null)[]): number {
  for (const [index, id] of ids.entries()) {
    const otherId = otherIds[index] ?? null
    if (id !== otherId) return (id ?? Number.MAX_VALUE) - (otherId ?? Number.MAX_VALUE)
  }
  return 0
}

export interface EventGroup {
  /** The id of the page or of the event's name. */
  valueId: number
  /** null unless the events are grouped by their properties, too. */
  props: string | null
  /** For page views, the id of the host that the visit began on; null if it is unknown. */
  hostnameId: number | null
  visitors: number
  visits: number
  count: number
}

/**
 * Groups the page views of a day by page and host, or its custom events by name. Events whose name's id is in `nameIdsWithProps`
 * are grouped by their properties, too.
 */
export async function groupEvents(
  q: TransactionQueries,
  day: WebsiteDay,
  kind: 'view' | 'custom',
  nameIdsWithProps: readonly number[] = [],
): Promise<EventGroup[]> {
  const grouper = new EventGrouper(kind, new Set(nameIdsWithProps))
  for await (const part of readDayParts(q, day)) grouper.add(part)
  return [...grouper.groups.values()].sort(
    (one, other) =>
      other.count - one.count ||
      compareIds([one.valueId, one.hostnameId], [other.valueId, other.hostnameId]) ||
      compareTexts(one.props ?? '', other.props ?? ''),
  )
}

const compareTexts = (one: string, other: string) => Number(one > other) - Number(one < other)

class EventGrouper {
  readonly groups = new Map<string, EventGroup>()
  readonly #kind: 'view' | 'custom'
  readonly #nameIdsWithProps: ReadonlySet<number>

  constructor(kind: 'view' | 'custom', nameIdsWithProps: ReadonlySet<number>) {
    this.#kind = kind
    this.#nameIdsWithProps = nameIdsWithProps
  }

  add(part: TrafficPart): void {
    const { visitors, visits, events, orphans } = part
    const valueIds = this.#kind === 'view' ? events.pages : events.names
    let [visit, event] = [0, 0]
    for (let visitor = 0; visitor < visitors.ids.length; visitor++) {
      const groupsOfVisitor = new Set<EventGroup>()
      for (const lastVisit = visit + (visitors.visitCounts[visitor] as number); visit < lastVisit; visit++) {
        const groupsOfVisit = new Set<EventGroup>()
        const hostnameId = visits.values.hostname[visit] as number
        for (const end = event + (visits.eventCounts[visit] as number); event < end; event++) {
          if (events.kinds[event] !== eventKinds[this.#kind]) continue
          const group = this.#count(valueIds[event] as number, events.props?.[event] ?? null, hostnameId)
          groupsOfVisit.add(group)
          groupsOfVisitor.add(group)
        }
        for (const group of groupsOfVisit) group.visits++
      }
      for (const group of groupsOfVisitor) group.visitors++
    }
    for (const { kind, page, name, props } of orphans)
      if (kind === eventKinds[this.#kind]) this.#count(this.#kind === 'view' ? page : name, props, 0)
  }

  #count(valueId: number, eventProps: string | null, visitHostnameId: number): EventGroup {
    const props = this.#nameIdsWithProps.has(valueId) ? eventProps : null
    const hostnameId = this.#kind === 'view' && visitHostnameId !== 0 ? visitHostnameId : null
    const group = this.groups.getOrInsertComputed(`${valueId} ${hostnameId} ${props ?? ''}`, () => ({
      valueId,
      props,
      hostnameId,
      visitors: 0,
      visits: 0,
      count: 0,
    }))
    group.count++
    return group
  }
}
