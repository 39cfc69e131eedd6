/** Somebody on the site: one page after the other, a while on each, now and then a click that counts, and sometimes back again. */
import type { LocalDay } from '../../lib/local-day.ts'
import { HOUR_MS } from '../../shared/time.ts'
import type { Origin, TrafficEvent, VisitorDetails } from '../model/event.ts'
import { type Random, randomBits53 } from './random.ts'
import type { DemoAction, TrafficSource } from './site.ts'

export interface DemoPage {
  path: string
  chance?: number
  action?: DemoAction
}

export interface DemoPickers {
  pickPage(random: Random): DemoPage
  pickRoad(random: Random): TrafficSource
  pickPerson(random: Random): VisitorDetails
}

interface Beginning {
  websiteId: number
  day: LocalDay
  at: number
  tools: DemoPickers
  random: Random
}

/** Whoever comes back does so after more than the half hour that ends a visit. */
const SHORTEST_PAUSE_MS = 40 * 60_000
const LONGEST_PAUSE_MS = 6 * HOUR_MS
const COMES_BACK = 0.14
const LEAVES_AT_ONCE = 0.42

export class DemoVisit {
  /** When its next event happens. */
  at: number
  isOver = false
  readonly #websiteId: number
  readonly #day: LocalDay
  readonly #tools: DemoPickers
  readonly #visitor: number
  readonly #person: VisitorDetails
  #origin: Origin
  #page: DemoPage
  #next: TrafficEvent['kind'] = 'view'
  #viewsLeft = 0
  #dwellMs = 0

  constructor({ websiteId, day, at, tools, random }: Beginning) {
    this.at = at
    this.#websiteId = websiteId
    this.#day = day
    this.#tools = tools
    this.#visitor = randomBits53(random)
    this.#person = tools.pickPerson(random)
    this.#origin = tools.pickRoad(random).origin
    this.#page = tools.pickPage(random)
    this.#viewsLeft = countViews(random)
  }

  nextEvent(random: Random): TrafficEvent {
    if (this.#next === 'view') return this.#view(random)
    return this.#next === 'custom' ? this.#act(random) : this.#leavePage(random)
  }

  #view(random: Random): TrafficEvent {
    const event = this.#event('view')
    this.#viewsLeft--
    // Most look for seconds, a few for many minutes.
    this.#dwellMs = 1_500 + Math.floor(18_000 * (-Math.log(1 - random() * 0.99999)) ** 1.4)
    const acts = random() < (this.#page.chance ?? 0)
    this.#next = acts ? 'custom' : 'engagement'
    this.at += acts ? this.#dwellMs >> 1 : this.#dwellMs
    return event
  }

  #act(random: Random): TrafficEvent {
    const event = this.#event('custom')
    const { name, props, passive } = this.#page.action as DemoAction
    event.name = name
    if (props !== undefined) event.props = props[Math.floor(random() * props.length)] as string
    if (passive) event.passive = passive
    this.#next = 'engagement'
    this.at += this.#dwellMs - (this.#dwellMs >> 1)
    return event
  }

  #leavePage(random: Random): TrafficEvent {
    const event = this.#event('engagement')
    event.engagedMs = this.#dwellMs
    if (this.#viewsLeft > 0) {
      this.#goTo(this.#tools.pickPage(random), 150 + Math.floor(random() * 1_000))
    } else if (random() < COMES_BACK) {
      this.#viewsLeft = countViews(random)
      if (random() < 0.5) this.#origin = this.#tools.pickRoad(random).origin
      const pause = SHORTEST_PAUSE_MS + Math.floor(random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS))
      this.#goTo(this.#tools.pickPage(random), pause)
    } else this.isOver = true
    return event
  }

  #goTo(page: DemoPage, afterMs: number): void {
    this.#page = page
    this.#next = 'view'
    this.at += afterMs
  }

  #event(kind: TrafficEvent['kind']): TrafficEvent {
    const { at } = this
    return {
      websiteId: this.#websiteId,
      kind,
      at,
      day: this.#day.day,
      hour: Math.floor((at - this.#day.startsAt) / HOUR_MS),
      visitor: this.#visitor,
      page: this.#page.path,
      ...this.#origin,
      ...this.#person,
    }
  }
}

function countViews(random: Random): number {
  let views = 1
  if (random() >= LEAVES_AT_ONCE)
    do views++
    while (random() < 0.62 && views < 30)
  return views
}
