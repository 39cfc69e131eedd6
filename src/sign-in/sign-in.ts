/** Signs in with a password and, if the account has one, a second factor. */
import { startSession, verifySignIn } from '../accounts/sign-in.ts'
import { lockUserForSignIn, type SessionClient, type UserRow } from '../accounts/store.ts'
import type { Clock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import type { WindowCounter } from '../lib/window-counter.ts'
import type { SecondFactorMethod } from '../shared/sign-in.ts'
import type { Database } from '../storage/database.ts'
import { createAttempt, findAttempt, takeAttempt } from './attempts.ts'
import { incorrectCodeProblem, isTotpCode, useCode } from './second-factors.ts'
import { countSecondFactors, type SecondFactors } from './store.ts'
import { loadTotp } from './totp.ts'
import { limitWrongCodes } from './wrong-codes.ts'

interface Deps {
  clock: Clock
  counter: WindowCounter
  db: Database
  secret: Secret
}

interface StartedSession {
  user: UserRow
  sessionToken: string
}

interface AwaitedSecondFactor {
  token: string
  expiresAt: Date
  methods: SecondFactorMethod[]
}

export const signInEndedProblem = () =>
  new Problem('unauthenticated', 'This sign-in has ended or took too long. Begin again.')

/** Starts a session, or begins to wait for the second factor. */
export async function signIn(
  deps: Deps,
  input: { email: string; password: string; clientNetwork: string; supportsPasskeys: boolean },
  client: SessionClient,
): Promise<StartedSession | AwaitedSecondFactor> {
  const { clock, db } = deps
  return verifySignIn(db, deps, input, ({ id, password_hash: passwordHash }) =>
    db.transaction(async (q) => {
      const user = await lockUserForSignIn(q, id, passwordHash)
      if (user === undefined) return undefined
      const factors = await countSecondFactors(q, id)
      if (!factors.has_totp && factors.passkeys === 0) {
        return { user, sessionToken: await startSession(q, id, clock, client) }
      }
      const attempt = await createAttempt(q, deps, 'second factor', { userId: id, passwordHash })
      return { ...attempt, methods: listMethods(factors, input) }
    }),
  )
}

function listMethods(
  factors: SecondFactors,
  { supportsPasskeys }: { supportsPasskeys: boolean },
): SecondFactorMethod[] {
  return [
    ...(factors.has_totp ? (['totp'] as const) : []),
    ...(factors.recovery_codes > 0 ? (['recovery_code'] as const) : []),
    ...(factors.passkeys > 0 && supportsPasskeys ? (['passkey'] as const) : []),
  ]
}

/** A wrong code leaves the sign-in waiting. The right one ends the wait, and only one of several simultaneous requests gets a session. */
export async function finishWithCode(
  deps: Deps,
  { token, code, clientNetwork }: { token: string; code: string; clientNetwork: string },
  client: SessionClient,
): Promise<StartedSession> {
  const { clock, db } = deps
  const attempt = await findAttempt(db, deps, 'second factor', token)
  if (attempt === undefined) throw signInEndedProblem()
  const { userId, passwordHash } = attempt
  const totp = await loadTotp()
  const started = await limitWrongCodes(deps, { userId, clientNetwork, isTotp: isTotpCode(code) }, () =>
    db.transaction(async (q) => {
      const user = await lockUserForSignIn(q, userId, passwordHash)
      if (user === undefined) throw signInEndedProblem()
      if (!(await useCode(q, { ...deps, totp }, { userId, code }))) return undefined
      if (!(await takeAttempt(q, deps, 'second factor', token))) throw signInEndedProblem()
      return { user, sessionToken: await startSession(q, userId, clock, { ...client, isStrong: true }) }
    }),
  )
  if (started === undefined) throw incorrectCodeProblem()
  return started
}
