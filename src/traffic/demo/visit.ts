/** A generated visitor of one day, who views pages, sometimes takes an action, and sometimes comes back later. */
import type { LocalDay } from '../../lib/local-day.ts'
import { HOUR_MS, MINUTE_MS } from '../../shared/time.ts'
import type { Origin, TrafficEvent, VisitorDetails } from '../model/event.ts'
import { type Random, randomBits53 } from './random.ts'
import type { DemoAction, TrafficSource } from './site.ts'

export interface DemoPage {
  path: string
  /** The probability that a visitor of the page takes the action. */
  actionProbability?: number
  action?: DemoAction
}

export interface DemoPickers {
  pickPage(random: Random): DemoPage
  pickSource(random: Random): TrafficSource
  pickVisitor(random: Random): VisitorDetails
}

interface DemoVisitorOptions {
  websiteId: number
  domain: string | undefined
  day: LocalDay
  firstEventAt: number
  pickers: DemoPickers
  random: Random
}

/** Longer than the 30 minutes without an event that end a visit, so that a visitor who comes back begins a new visit. */
const MIN_RETURN_DELAY_MS = 40 * MINUTE_MS
const MAX_RETURN_DELAY_MS = 6 * HOUR_MS
const RETURN_PROBABILITY = 0.14
const SINGLE_PAGE_PROBABILITY = 0.42
const NEXT_PAGE_PROBABILITY = 0.62
const MAX_VIEWS_PER_VISIT = 30
/** One in this many visitors uses the host that begins with `www.`. */
const VISITORS_PER_WWW_VISITOR = 5

export class DemoVisitor {
  /** The time of the next event. */
  at: number
  hasLeft = false
  readonly #websiteId: number
  readonly #hostname: string | undefined
  readonly #day: LocalDay
  readonly #pickers: DemoPickers
  readonly #visitor: number
  readonly #details: VisitorDetails
  #origin: Origin
  #page: DemoPage
  #nextKind: TrafficEvent['kind'] = 'view'
  #viewsLeft = 0
  #dwellMs = 0

  constructor({ websiteId, domain, day, firstEventAt, pickers, random }: DemoVisitorOptions) {
    this.at = firstEventAt
    this.#websiteId = websiteId
    this.#day = day
    this.#pickers = pickers
    this.#visitor = randomBits53(random)
    this.#hostname = domain === undefined ? undefined : chooseHost(domain, this.#visitor)
    this.#details = pickers.pickVisitor(random)
    this.#origin = pickers.pickSource(random).origin
    this.#page = pickers.pickPage(random)
    this.#viewsLeft = drawViewCount(random)
  }

  nextEvent(random: Random): TrafficEvent {
    if (this.#nextKind === 'view') return this.#viewPage(random)
    return this.#nextKind === 'custom' ? this.#takeAction(random) : this.#leavePage(random)
  }

  #viewPage(random: Random): TrafficEvent {
    const event = this.#createEvent('view')
    this.#viewsLeft--
    // Most visitors stay for seconds, a few for many minutes.
    this.#dwellMs = 1_500 + Math.floor(18_000 * (-Math.log(1 - random() * 0.99999)) ** 1.4)
    const takesAction = random() < (this.#page.actionProbability ?? 0)
    this.#nextKind = takesAction ? 'custom' : 'engagement'
    this.at += takesAction ? this.#dwellMs >> 1 : this.#dwellMs
    return event
  }

  #takeAction(random: Random): TrafficEvent {
    const event = this.#createEvent('custom')
    const { name, props, passive } = this.#page.action as DemoAction
    event.name = name
    if (props !== undefined) event.props = props[Math.floor(random() * props.length)] as string
    if (passive) event.passive = passive
    this.#nextKind = 'engagement'
    this.at += this.#dwellMs - (this.#dwellMs >> 1)
    return event
  }

  #leavePage(random: Random): TrafficEvent {
    const event = this.#createEvent('engagement')
    event.engagedMs = this.#dwellMs
    if (this.#viewsLeft > 0) {
      this.#goTo(this.#pickers.pickPage(random), 150 + Math.floor(random() * 1_000))
    } else if (random() < RETURN_PROBABILITY) {
      this.#viewsLeft = drawViewCount(random)
      if (random() < 0.5) this.#origin = this.#pickers.pickSource(random).origin
      const returnDelayMs = MIN_RETURN_DELAY_MS + Math.floor(random() * (MAX_RETURN_DELAY_MS - MIN_RETURN_DELAY_MS))
      this.#goTo(this.#pickers.pickPage(random), returnDelayMs)
    } else this.hasLeft = true
    return event
  }

  #goTo(page: DemoPage, afterMs: number): void {
    this.#page = page
    this.#nextKind = 'view'
    this.at += afterMs
  }

  #createEvent(kind: TrafficEvent['kind']): TrafficEvent {
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
      ...(this.#hostname === undefined ? {} : { hostname: this.#hostname }),
      ...this.#details,
    }
  }
}

/** Draws no random number, so the rest of the data doesn't depend on whether `domain` is set. */
function chooseHost(domain: string, visitor: number): string {
  return visitor % VISITORS_PER_WWW_VISITOR === 0 ? `www.${domain}` : domain
}

function drawViewCount(random: Random): number {
  let views = 1
  if (random() >= SINGLE_PAGE_PROBABILITY) {
    do views++
    while (random() < NEXT_PAGE_PROBABILITY && views < MAX_VIEWS_PER_VISIT)
  }
  return views
}
