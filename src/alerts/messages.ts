/** What people are told. */
import { formatDuration } from '../lib/duration.ts'
import { shorten } from '../lib/shorten.ts'

export interface Text {
  title: string
  body: string
}

interface About {
  friendlyName: string
  url: string
}

export interface Outage extends About {
  /** A sentence without its end, as a check says it. */
  detail: string
  since: Date
}

/** Of 2,048: the cause comes after it, and a text message has room for 1,600. */
const URL_SHOWN = 300
const DETAIL_SHOWN = 500
const DAY_MS = 86_400_000

export function downMessage({ friendlyName, url, detail, since }: Outage): Text {
  return {
    title: `${friendlyName} is down`,
    body: lines(shownUrl(url), `Cause: ${shownDetail(detail)}.`, `Down since ${shownTime(since)}.`),
  }
}

export function recoveredMessage({ friendlyName, url, detail, since, now }: Outage & { now: Date }): Text {
  const cause = shownDetail(detail)
  return {
    title: `${friendlyName} is up again`,
    body: lines(shownUrl(url), `It was down for ${durationOf(since, now)}, since ${shownTime(since)}: ${cause}.`),
  }
}

export function reminderMessage({ friendlyName, url, detail, since, now }: Outage & { now: Date }): Text {
  return {
    title: `${friendlyName} is still down`,
    body: lines(
      shownUrl(url),
      `Cause: ${shownDetail(detail)}.`,
      `Down for ${durationOf(since, now)}, since ${shownTime(since)}.`,
    ),
  }
}

export function certificateMessage(facts: About & { expiresAt: Date; now: Date }): Text {
  const { friendlyName, url, expiresAt, now } = facts
  const days = Math.ceil((expiresAt.getTime() - now.getTime()) / DAY_MS)
  const when = days < 1 ? 'has expired' : days === 1 ? 'expires within a day' : `expires in ${days} days`
  const validity = days < 1 ? 'It was valid until' : 'It is valid until'
  return {
    title: `The certificate of ${friendlyName} ${when}`,
    body: lines(shownUrl(url), `${validity} ${shownTime(expiresAt)}.`),
  }
}

/** Only BELFRY_URL is good for `base`: nobody knows what the reader of a message can reach otherwise. */
export const monitorPage = (base: string, monitorId: number) => `${base}/monitors/${monitorId}`

const lines = (...all: string[]) => all.join('\n')

/** Others' words: a line break of theirs would look like ours. */
function shown(text: string, most: number): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return line.length > most ? `${shorten(line, most)}…` : line
}

const shownUrl = (url: string) => shown(url, URL_SHOWN)
const shownDetail = (detail: string) => shown(detail, DETAIL_SHOWN)

const shownTime = (time: Date) => `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`

const durationOf = (since: Date, now: Date) => formatDuration(now.getTime() - since.getTime())
