/** Gives every page, source, country… of a slice of events its number, all of them at once. */
import { type ValueKind, valueKinds, visitorDimensions } from '../dimensions.ts'
import type { TrafficEvent } from '../event.ts'
import type { NumberedEvent } from './visits.ts'

export interface Value {
  websiteId: number
  /** The number of its kind. */
  kind: number
  value: string
}

export class Numbering {
  /** By website and kind, so that no key has to be put together for each event. */
  readonly #known = new Map<number, Map<number, Map<string, number>>>()

  add(event: TrafficEvent): void {
    for (const [kind, value] of valuesOf(event)) {
      if (value !== undefined) this.#valuesOf(event.websiteId, kind).set(value, 0)
    }
  }

  list(): Value[] {
    const values: Value[] = []
    for (const [websiteId, kinds] of this.#known) {
      for (const [kind, known] of kinds) for (const value of known.keys()) values.push({ websiteId, kind, value })
    }
    return values
  }

  note({ websiteId, kind, value }: Value, id: number): void {
    this.#known.get(websiteId)?.get(kind)?.set(value, id)
  }

  number(event: TrafficEvent): NumberedEvent {
    const { kind, at, hour } = event
    const known = this.#known.get(event.websiteId)
    const of = (name: ValueKind, value: string | undefined) =>
      value === undefined ? 0 : (known?.get(valueKinds[name])?.get(value) ?? 0)
    return {
      kind,
      at,
      hour,
      isPassive: event.passive ?? false,
      page: of('page', event.page),
      name: of('event', event.name),
      referrer: of('referrer', event.referrer),
      source: of('source', event.source),
      campaign: of('campaign', event.campaign),
      visitor: Object.fromEntries(
        visitorDimensions.map((name) => [name, of(name, event[name])]),
      ) as NumberedEvent['visitor'],
    }
  }

  #valuesOf(websiteId: number, kind: ValueKind): Map<string, number> {
    const kinds = this.#known.getOrInsertComputed(websiteId, () => new Map())
    return kinds.getOrInsertComputed(valueKinds[kind], () => new Map())
  }
}

function valuesOf(event: TrafficEvent): [ValueKind, string | undefined][] {
  const { page, name, referrer, source, campaign } = event
  return [
    ['page', page],
    ['event', name],
    ['referrer', referrer],
    ['source', source],
    ['campaign', campaign],
    ...visitorDimensions.map((dimension): [ValueKind, string | undefined] => [dimension, event[dimension]]),
  ]
}
