/** What becomes of an alert after an attempt. */
import { after } from '../lib/clock.ts'
import { DeliveryError } from '../providers/provider.ts'
import { NoSmsLeft } from '../providers/sms-allowance.ts'
import { GIVE_UP_HOURS, heeding, isTooOld, pauseAfter, restAfter } from './pauses.ts'

export type Outcome =
  | { result: 'sent'; answer: string }
  /** `restsUntil`: the provider as a whole is left alone until then. */
  | { result: 'again'; answer: string; nextAttemptAt: Date; restsUntil: Date }
  /** `failure` is shown on the provider. */
  | { result: 'failed'; answer: string; failure: string; restsUntil: Date }

export interface Tried {
  createdAt: Date
  /** With this one. */
  attempts: number
  /** Of the provider in a row, with this one. */
  failures: number
  now: Date
  /** Where something else than an alert is tried for longer. */
  giveUpHours?: number
}

/** Control characters: PostgreSQL takes no NUL, and an answer that cannot be kept would be asked for again and again. */
export function sentOutcome(answer: string): Outcome {
  return { result: 'sent', answer: cleaned(answer) }
}

export function failedOutcome(error: unknown, { createdAt, attempts, failures, now, giveUpHours }: Tried): Outcome {
  const { sentence, permanent, restMs, pauseMs } = read(error, attempts, failures)
  const answer = cleaned(sentence)
  const restsUntil = after(now, restMs)
  if (permanent) return { result: 'failed', answer, failure: answer, restsUntil }
  if (isTooOld(createdAt, now, giveUpHours)) return { result: 'failed', answer, failure: givenUp(answer), restsUntil }
  return { result: 'again', answer, nextAttemptAt: after(now, pauseMs), restsUntil }
}

/** What a provider shows when its messages were too old to be tried again. */
export const givenUp = (answer: string) => `Given up after ${GIVE_UP_HOURS} h. ${answer}`

function read(error: unknown, attempts: number, failures: number) {
  const pauses = { pauseMs: pauseAfter(attempts), restMs: restAfter(failures) }
  if (error instanceof NoSmsLeft) {
    const restMs = error.retryAfterSeconds * 1000
    return { sentence: error.message, permanent: false, pauseMs: restMs, restMs }
  }
  if (!(error instanceof DeliveryError)) {
    return { sentence: 'This server failed to send it: its log says why.', permanent: false, ...pauses }
  }
  const { sentence, permanent, retryAfterSeconds } = error
  return {
    sentence,
    permanent,
    pauseMs: heeding(pauses.pauseMs, retryAfterSeconds),
    restMs: heeding(pauses.restMs, retryAfterSeconds),
  }
}

const cleaned = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ')
