/** Removes the link between an account and the identity provider. */
import type { Config } from '../config/config.ts'
import { Problem } from '../lib/problem.ts'
import { weakenSessionsWithoutFactor } from '../sign-in/second-factors.ts'
import type { SessionCaller } from '../storage/caller.ts'
import type { Database } from '../storage/database.ts'
import { deleteOwnIdentities, lockUserAndFindOtherWays } from './store.ts'

/**
 * Ends the other sessions that came from the provider. The current one remains, but it no longer counts as strong if the account has no
 * second factor of its own. Returns false if no account is linked.
 */
export function deleteIdentity(
  { config, db }: { config: Config; db: Database },
  caller: SessionCaller,
): Promise<boolean> {
  return db.as(caller).transaction(async (q) => {
    const hasOtherWays = (await lockUserAndFindOtherWays(q)) && config.singleSignOn?.isOnly !== true
    const isDeleted = await deleteOwnIdentities(q, caller.sessionId)
    if (isDeleted && !hasOtherWays) {
      throw new Problem('conflict', 'Single sign-on is your only way to sign in. Add another one first.')
    }
    if (isDeleted) await weakenSessionsWithoutFactor(q, caller.userId)
    return isDeleted
  })
}
