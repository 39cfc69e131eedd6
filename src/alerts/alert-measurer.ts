/** Measures what an incident costs, just before an alert about it is sent. */
import type { Logger } from 'pino'
import { type MeasureDeps, measureIfOutdated } from '../impact/measure.ts'
import { findMeasurement, type IncidentKey, type StoredMeasurement } from '../impact/measure-store.ts'
import { waitAtMost } from '../lib/clock.ts'
import { MINUTE_MS, SECOND_MS } from '../shared/time.ts'
import type { AlertMessage } from './queue-store.ts'

/** An alert without the impact is better than a late one. */
const DEADLINE_MS = 2 * SECOND_MS
/** After a slow measurement, alerts are sent unmeasured for this time: in a long queue, the delays would add up. */
const SLOW_PAUSE_MS = MINUTE_MS
/** During a storm of alerts, no alert waits behind the measurements of many others. */
const MAX_CONCURRENT_MEASUREMENTS = 8

export interface AlertMeasurerDeps extends MeasureDeps {
  log: Logger
}

type Measurement = StoredMeasurement | 'unknown'

export class AlertMeasurer {
  readonly #deps: AlertMeasurerDeps
  /** Alerts about one incident are sent through several channels at the same time, but the incident is measured once. */
  readonly #running = new Map<string, Promise<Measurement>>()
  #measurements = 0
  /** A time of `performance.now()`. */
  #pausedUntil = 0

  constructor(deps: AlertMeasurerDeps) {
    this.#deps = deps
  }

  /** Returns the alert as it is if the measurement is slow or fails. */
  async addMeasurement(alert: AlertMessage): Promise<AlertMessage> {
    const { incident, monitor, channel } = alert
    if (incident === null || performance.now() < this.#pausedUntil) return alert
    const key = { userId: channel.user_id, monitorId: monitor.id, incidentId: incident.id }
    const measurement = await waitAtMost(DEADLINE_MS, this.#measureOnce(key))
    if (measurement === 'unknown') return alert
    if (measurement !== undefined) return { ...alert, incident: { ...incident, ...measurement } }
    if (performance.now() >= this.#pausedUntil) {
      this.#deps.log.warn('measuring the impact of incidents is slow, so alerts are sent without it for a minute')
    }
    this.#pausedUntil = performance.now() + SLOW_PAUSE_MS
    return alert
  }

  #measureOnce(key: IncidentKey): Promise<Measurement> {
    const name = `${key.userId} ${key.monitorId} ${key.incidentId}`
    const running = this.#running.get(name) ?? this.#measure(key).finally(() => this.#running.delete(name))
    this.#running.set(name, running)
    return running
  }

  async #measure(key: IncidentKey): Promise<Measurement> {
    try {
      if (this.#measurements < MAX_CONCURRENT_MEASUREMENTS) await this.#renewMeasurement(key)
      return (await findMeasurement(this.#deps.db, key)) ?? 'unknown'
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'the impact of an incident could not be read for an alert')
      return 'unknown'
    }
  }

  /** After a failure, the alert has the figures of the last measurement, if there was one. */
  async #renewMeasurement(key: IncidentKey): Promise<void> {
    this.#measurements++
    await measureIfOutdated(this.#deps, key)
      .catch((error) =>
        this.#deps.log.warn({ err: error }, 'the impact of an incident could not be measured for an alert'),
      )
      .finally(() => {
        this.#measurements--
      })
  }
}
