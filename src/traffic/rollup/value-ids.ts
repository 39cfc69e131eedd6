/** Collects the values of many events (pages, sources, countries…) and replaces each with its id in `traffic_values`. */
import { dimensionNames, dimensionTable, visitDimensions, visitorDimensions } from '../model/dimensions.ts'
import type { EventKind, TrafficEvent } from '../model/event.ts'

export interface TrafficValue {
  websiteId: number
  /** The code for what the value is, such as a page or a country. `dimensionTable` has the codes. */
  kind: number
  value: string
}

/** An event whose values are replaced with ids of `traffic_values`. 0 stands for an unknown value. */
export interface EventWithIds {
  kind: EventKind
  at: number
  hour: number
  isPassive: boolean
  pageId: number
  eventNameId: number
  /**
   * In the order of `visitDimensions`. The landing page and exit page are 0, because they depend on all page views of
   * the visit. `addEventToVisits` sets them in the visit.
   */
  visitValues: readonly number[]
  /** In the order of `visitorDimensions`. */
  visitorValues: readonly number[]
}

type ValueField = (typeof dimensionTable)[keyof typeof dimensionTable]['field']

/** A field of an event, and the kind of the value that the field holds. */
interface FieldWithKind {
  kind: number
  field: ValueField
}

/**
 * One entry per kind. Several dimensions can have the same kind: page, landing page and exit page all hold a page. This list and
 * the next two are computed only once, because rolling up needs them for every event.
 */
const valueFields: FieldWithKind[] = [
  ...new Map(
    dimensionNames.map((name) => {
      const { kind, field } = dimensionTable[name]
      return [kind, { kind, field }]
    }),
  ).values(),
]
/** In the order of `visitDimensions`. Landing page and exit page are undefined: `addEventToVisits` sets them later. */
const visitFields: (FieldWithKind | undefined)[] = visitDimensions.map((name) => {
  const { kind, field } = dimensionTable[name]
  return field === 'page' ? undefined : { kind, field }
})
const visitorFields: FieldWithKind[] = visitorDimensions.map((name) => dimensionTable[name])

/** The element at the index `kind` maps the values of that kind to their ids. */
type IdsByKind = Map<string, number>[]

export class ValueIds {
  /** By website and then by kind, so that no combined key has to be built for each value. */
  readonly #idsByWebsite = new Map<number, IdsByKind>()

  collect(event: TrafficEvent): void {
    const idsByKind = this.#idsByWebsite.getOrInsertComputed(event.websiteId, createIdsByKind)
    for (const { kind, field } of valueFields) {
      const value = event[field]
      if (value !== undefined) idsByKind[kind]?.set(value, 0)
    }
  }

  /** Returns every collected value once. */
  list(): TrafficValue[] {
    const values: TrafficValue[] = []
    for (const [websiteId, idsByKind] of this.#idsByWebsite) {
      for (const { kind } of valueFields) {
        for (const value of idsByKind[kind]?.keys() ?? []) values.push({ websiteId, kind, value })
      }
    }
    return values
  }

  setId({ websiteId, kind, value }: TrafficValue, id: number): void {
    this.#idsByWebsite.get(websiteId)?.[kind]?.set(value, id)
  }

  toEventWithIds(event: TrafficEvent): EventWithIds {
    const idsByKind = this.#idsByWebsite.get(event.websiteId) ?? []
    const visitValues = visitFields.map((field) => (field === undefined ? 0 : lookUpValueId(idsByKind, event, field)))
    const visitorValues = visitorFields.map((field) => lookUpValueId(idsByKind, event, field))
    return {
      kind: event.kind,
      at: event.at,
      hour: event.hour,
      isPassive: event.passive ?? false,
      pageId: lookUpValueId(idsByKind, event, dimensionTable.page),
      eventNameId: lookUpValueId(idsByKind, event, dimensionTable.event),
      visitValues,
      visitorValues,
    }
  }
}

function createIdsByKind(): IdsByKind {
  const idsByKind: IdsByKind = []
  for (const { kind } of valueFields) idsByKind[kind] = new Map()
  return idsByKind
}

function lookUpValueId(idsByKind: IdsByKind, event: TrafficEvent, { kind, field }: FieldWithKind): number {
  const value = event[field]
  return value === undefined ? 0 : (idsByKind[kind]?.get(value) ?? 0)
}
