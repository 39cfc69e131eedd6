/** Signing in: which ways the server offers, and the steps of each. */
import { useQuery } from '@tanstack/preact-query'
import type { SecondFactorMethod } from '../../src/shared/sign-in.ts'
import { ApiProblem, api, type ItemResponse } from './api.ts'
import { queryKeys } from './queries.ts'

export interface SignInMethods {
  password: boolean
  passkeys: boolean
  single_sign_on: { label: string } | null
}

/** What the account asks for after the password. */
export interface SecondFactor {
  token: string
  methods: readonly SecondFactorMethod[]
  expires_at: string
}

export const useSignInMethods = () =>
  useQuery({
    queryKey: queryKeys.signInMethods,
    queryFn: async ({ signal }) => (await api.get<ItemResponse<SignInMethods>>('api/sign-in-methods', signal)).data,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Returns what else the account asks for, or undefined if the user is signed in. */
export async function signInWithPassword(email: string, password: string): Promise<SecondFactor | undefined> {
  const { data } = await api.post<ItemResponse<{ second_factor?: SecondFactor }>>('api/session', { email, password })
  return data.second_factor
}

/** Browsers have passkeys only at a host name with https, or at localhost. */
export const canUsePasskeys =
  typeof PublicKeyCredential !== 'undefined' && !/^[\d.]+$|^\[/.test(globalThis.location?.hostname ?? '')

const loadWebAuthn = () => import('@simplewebauthn/browser')

type PasskeyOptions = Parameters<Awaited<ReturnType<typeof loadWebAuthn>>['startAuthentication']>[0]['optionsJSON']

/** `token`: the passkey is the second factor of a sign-in. */
export async function signInWithPasskey(token?: string): Promise<void> {
  const { attempt, credential } = await askForPasskey({ ...(token !== undefined && { token }) }, false)
  await api.post('api/session/passkey', { attempt, credential })
}

/**
 * The browser offers passkeys in the email field, until the user chooses one or another way to sign in. Returns false if it doesn't, for
 * whatever reason: the user has asked for nothing yet, so there is nothing to report.
 */
export async function signInWithOfferedPasskey(): Promise<boolean> {
  const chosen = (await supportsAutofill()) ? await askForPasskey({}, true).catch(() => undefined) : undefined
  if (chosen === undefined) return false
  await api.post('api/session/passkey', chosen)
  return true
}

async function askForPasskey(input: { token?: string }, isAutofill: boolean) {
  const [{ startAuthentication }, { data }] = await Promise.all([
    loadWebAuthn(),
    api.post<ItemResponse<{ attempt: string; options: PasskeyOptions }>>('api/session/passkey/options', input),
  ])
  const credential = await startAuthentication({ optionsJSON: data.options, useBrowserAutofill: isAutofill }).catch(
    rethrowPasskeyError,
  )
  return { attempt: data.attempt, credential }
}

/** Whether the user closed the browser's dialog, or the page has begun another attempt. */
export const isCancelled = (error: unknown) => error instanceof ApiProblem && error.code === 'cancelled'

/** Browsers report nearly every failure with the same name, so that a page can't find out which passkeys exist. */
export function rethrowPasskeyError(error: unknown): never {
  const name = error instanceof Error ? error.name : ''
  const code = name === 'NotAllowedError' || name === 'AbortError' ? 'cancelled' : 'passkey'
  const message =
    name === 'InvalidStateError'
      ? 'This device already has a passkey for your account.'
      : code === 'cancelled'
        ? 'No passkey was used. Try again, or sign in another way.'
        : error instanceof Error
          ? error.message
          : `${error}`
  throw new ApiProblem({ status: 0, code, message })
}

async function supportsAutofill(): Promise<boolean> {
  if (!canUsePasskeys) return false
  return (await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false
}
