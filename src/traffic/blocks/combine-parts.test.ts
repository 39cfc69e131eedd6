/** Parts of a day that are split, and merged again. */
import { describe, expect, it } from 'vitest'
import { createRandomRows, type SampleRows, sortRows, toPart, toRows } from '../../../tests/support/random-part.ts'
import { mergeParts, splitPart } from './combine-parts.ts'
import { createTrafficPart, type TrafficPart } from './traffic-part.ts'

const seeds = Array.from({ length: 8 }, (_, index) => 200 + index)
const mergeAll = (parts: readonly TrafficPart[]) =>
  parts.reduce((merged, part) => mergeParts(merged, part), createTrafficPart(0, 0, 0))

/** The rows of some visitors. Events without a visit are omitted. */
function pickVisitors({ visits, events }: SampleRows, isPicked: (visitor: number) => boolean): SampleRows {
  const picked = visits.filter(({ visitor }) => isPicked(visitor))
  const ids = new Set(picked.map(({ id }) => id))
  return { visits: picked, events: events.filter(({ visitId }) => ids.has(visitId)) }
}

describe('splitting a part', () => {
  it.each(seeds)('keeps visitors whole, and merging gives the same part again (seed %i)', (seed) => {
    const part = toPart(createRandomRows(seed))
    for (const maxEvents of [1, 10, 1_000]) {
      const parts = splitPart(part, maxEvents)
      expect(mergeAll(parts)).toEqual(part)
      const visitors = parts.flatMap(({ visitors: { ids } }) => [...ids])
      expect(visitors).toEqual([...part.visitors.ids])
      for (const {
        visitors: { ids },
        events,
      } of parts)
        if (ids.length > 1) expect(events.kinds.length).toBeLessThanOrEqual(maxEvents)
    }
  })

  it('makes one part for each visitor who alone has too many events', () => {
    const part = toPart(createRandomRows(220, { visitorCount: 5 }))
    const visitorsWithEvents = splitPart(part, 1).filter(({ events }) => events.kinds.length > 0)
    expect(visitorsWithEvents.length).toBeGreaterThan(2)
  })

  it('keeps a part without events', () => {
    const { visits } = createRandomRows(221)
    const part = toPart({ visits, events: [] })
    expect(splitPart(part, 1)).toEqual([part])
  })
})

describe('merging parts', () => {
  it.each(seeds)('has the visitors of both, and prefers those of the first part (seed %i)', (seed) => {
    const [stored, rows] = [createRandomRows(seed), createRandomRows(seed + 1_000)]
    // Some visitors are in both parts, with other visits and events.
    const storedVisitors = [...new Set(stored.visits.map(({ visitor }) => visitor))]
    const visitors = [...new Set(rows.visits.map(({ visitor }) => visitor))]
    const shared = new Map(
      visitors.map((visitor, index) => [visitor, index % 3 === 0 ? storedVisitors[index] : undefined]),
    )
    const late: SampleRows = {
      visits: rows.visits.map((visit) => ({
        ...visit,
        visitor: shared.get(visit.visitor) ?? visit.visitor,
        id: visit.id + 1_000,
      })),
      events: rows.events.map((event) => ({ ...event, visitId: event.visitId === 0 ? 0 : event.visitId + 1_000 })),
    }
    const lateVisitors = new Set(late.visits.map(({ visitor }) => visitor))
    const rest = pickVisitors(stored, (visitor) => !lateVisitors.has(visitor))
    expect(rest.visits.length).toBeLessThan(stored.visits.length)
    const merged = toRows(mergeParts(toPart(late), toPart(stored)))
    const isOfVisit = ({ visitId }: { visitId: number }) => visitId !== 0
    const expected = sortRows({
      visits: [...late.visits, ...rest.visits],
      events: [...late.events, ...rest.events].filter(isOfVisit),
    })
    expect({ ...merged, events: merged.events.filter(isOfVisit) }).toEqual(expected)
    // Events without a visit belong to no visitor, so those of both parts stay.
    const orphans = [...stored.events, ...late.events].filter(({ visitId }) => visitId === 0)
    const sortByTime = (events: readonly { at: number }[]) => events.toSorted((one, other) => one.at - other.at)
    expect(sortByTime(merged.events.filter((event) => !isOfVisit(event)))).toEqual(sortByTime(orphans))
  })

  it('forgets that there were properties if no event has any', () => {
    const stored = createRandomRows(230)
    expect(toPart(stored).events.props).toBeDefined()
    const rows = toPart({ visits: stored.visits, events: stored.events.map((event) => ({ ...event, props: null })) })
    expect(mergeParts(rows, toPart(stored)).events.props).toBeUndefined()
  })
})
