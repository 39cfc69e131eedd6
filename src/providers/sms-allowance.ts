/** Text messages cost the operator money: each user has so many a day. */
import type { Config } from '../config.ts'
import type { Clock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import type { Tenant } from '../storage/tenant.ts'
import { DeliveryError } from './provider.ts'
import { giveBackSms, takeSms } from './sms-store.ts'

const DAY_SECONDS = 86_400

/** Days are those of UTC, on every node alike. */
export const dayOf = (time: Date) => time.toISOString().slice(0, 10)

export async function withSmsAllowance<T>(
  tenant: Tenant,
  userId: number,
  { clock, config }: { clock: Clock; config: Pick<Config, 'sms' | 'smsDaily'> },
  send: () => Promise<T>,
): Promise<T> {
  const now = clock.now()
  const day = dayOf(now)
  if (!(await tenant.transaction((q) => takeSms(q, userId, day, config.smsDaily)))) {
    const seconds = DAY_SECONDS - (Math.floor(now.getTime() / 1000) % DAY_SECONDS)
    throw new Problem('rate_limited', `At most ${config.smsDaily} text messages a day (BELFRY_SMS_DAILY).`, {
      headers: { 'retry-after': String(seconds) },
    })
  }
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof DeliveryError && error.uncertain)) await giveBackSms(tenant, day)
    throw error
  }
}
