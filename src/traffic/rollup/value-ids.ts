/** Gives every page, source, country… of a slice of events its number, all of them at once. */
import { type ValueKind, valueKinds } from '../model/dimensions.ts'
import type { TrafficEvent } from '../model/event.ts'
import type { EventWithIds } from './visits.ts'

export interface TrafficValue {
  websiteId: number
  /** The number of its kind. */
  kind: number
  value: string
}

/** Which field of an event is of which kind. A list and not an object: it is gone through for every event. */
const fields = (Object.keys(valueKinds) as ValueKind[]).map((kind) => ({
  kind: valueKinds[kind],
  field: kind === 'event' ? ('name' as const) : kind,
}))

type Known = Map<string, number>[]

export class ValueIds {
  /** By website and kind, so that no key has to be put together for each event. */
  readonly #websites = new Map<number, Known>()

  add(event: TrafficEvent): void {
    const known = this.#websites.getOrInsertComputed(event.websiteId, makeKnown)
    for (const { kind, field } of fields) {
      const value = event[field]
      if (value !== undefined) known[kind]?.set(value, 0)
    }
  }

  list(): TrafficValue[] {
    const values: TrafficValue[] = []
    for (const [websiteId, known] of this.#websites) {
      for (const { kind } of fields) {
        for (const value of known[kind]?.keys() ?? []) values.push({ websiteId, kind, value })
      }
    }
    return values
  }

  note({ websiteId, kind, value }: TrafficValue, id: number): void {
    this.#websites.get(websiteId)?.[kind]?.set(value, id)
  }

  number(event: TrafficEvent): EventWithIds {
    const known = this.#websites.get(event.websiteId) ?? []
    const of = (kind: ValueKind, value: string | undefined) =>
      value === undefined ? 0 : (known[valueKinds[kind]]?.get(value) ?? 0)
    return {
      kind: event.kind,
      at: event.at,
      hour: event.hour,
      isPassive: event.passive ?? false,
      page: of('page', event.page),
      name: of('event', event.name),
      referrer: of('referrer', event.referrer),
      source: of('source', event.source),
      campaign: of('campaign', event.campaign),
      country: of('country', event.country),
      region: of('region', event.region),
      city: of('city', event.city),
      language: of('language', event.language),
      browser: of('browser', event.browser),
      os: of('os', event.os),
      device: of('device', event.device),
      resolution: of('resolution', event.resolution),
    }
  }
}

function makeKnown(): Known {
  const known: Known = []
  for (const { kind } of fields) known[kind] = new Map()
  return known
}
