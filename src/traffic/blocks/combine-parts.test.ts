/** Parts of a day that are split, and merged again. */
import { describe, expect, it } from 'vitest'
import {
  createRandomRows,
  type SampleHit,
  type SampleRows,
  sortRows,
  toPart,
  toRows,
} from '../../../tests/support/random-part.ts'
import { mergeParts, splitPart } from './combine-parts.ts'
import { decodeBlock } from './decode-block.ts'
import { encodeBlock } from './encode-block.ts'
import { createTrafficPart, type TrafficPart } from './traffic-part.ts'

const seeds = Array.from({ length: 8 }, (_, index) => 200 + index)
const mergeAll = (parts: readonly TrafficPart[]) =>
  parts.reduce((merged, part) => mergeParts(part, merged), createTrafficPart(0, 0, 0))

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

  it('counts events with long properties several times', () => {
    const { visits, events } = createRandomRows(222, { visitorCount: 40 })
    const props = JSON.stringify({ text: 'x'.repeat(6_400) })
    const part = toPart({
      visits,
      events: events.map((event) => ({ ...event, props: event.visitId === 0 ? null : props })),
    })
    const parts = splitPart(part, 2_000)
    expect(mergeAll(parts)).toEqual(part)
    for (const { visitors, events: slice } of parts)
      expect(visitors.ids.length === 1 || slice.kinds.length <= 2_000 / 101).toBe(true)
    const plain = toPart({ visits, events: events.map((event) => ({ ...event, props: null })) })
    expect(splitPart(plain, 2_000)).toEqual([plain])
  })

  describe('with many events that belong to no visit', () => {
    const { visits, events } = createRandomRows(223)
    const orphan = events.find(({ visitId, kind }) => visitId !== 0 && kind === 'engagement')
    const createOrphans = (count: number, props: string | null) =>
      Array.from({ length: count }, (_, index) => ({ ...orphan, visitId: 0, at: index, props }) as SampleHit)
    const visitEvents = events.filter(({ visitId }) => visitId !== 0)

    it('keeps a few in the first part', () => {
      const part = toPart({ visits, events: [...visitEvents, ...createOrphans(62, null)] })
      expect(splitPart(part, 1_000)).toEqual([part])
    })

    it.each([
      ['many events', createOrphans(1_250, null), [1_000, 250]],
      ['long properties', createOrphans(25, 'x'.repeat(6_400)), [9, 9, 7]],
      ['properties that alone exceed a part', createOrphans(2, 'x'.repeat(640_000)), [1, 1]],
    ])('gives them parts without visitors before the others: %s', (_, orphans, expectedCounts) => {
      const part = toPart({ visits, events: [...visitEvents, ...orphans] })
      const parts = splitPart(part, 1_000)
      expect(parts.map((slice) => slice.orphans.length)).toEqual([...expectedCounts, 0])
      expect(parts.map(({ visitors }) => visitors.ids.length > 0)).toEqual([...expectedCounts.map(() => false), true])
      expect(mergeAll(parts)).toEqual(part)
      for (const slice of parts) expect(decodeBlock(encodeBlock(slice))).toEqual(slice)
      // Without visitors, there are only such parts.
      expect(splitPart(toPart({ visits: [], events: orphans }), 1_000)).toEqual(parts.slice(0, -1))
    })
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
