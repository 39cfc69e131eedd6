/** How the user signs in: second factors, passkeys, sessions, and the linked identity. */
import { useQuery } from '@tanstack/preact-query'
import type { PasskeyRecord, SessionRecord } from '../../src/sign-in/schema.ts'
import type { IdentityRecord } from '../../src/single-sign-on/schema.ts'
import { api, type ItemResponse, type ListResponse } from './api.ts'
import { queryClient, queryKeys } from './queries.ts'
import { isSecondFactorNeeded } from './team.ts'

export interface AccountSecurity {
  has_password: boolean
  totp_enabled: boolean
  recovery_codes_left: number
  passkeys: readonly PasskeyRecord[]
  email_confirmed: boolean
}

export const useSecurity = () =>
  useQuery({
    queryKey: queryKeys.security,
    queryFn: async ({ signal }) => (await api.get<ItemResponse<AccountSecurity>>('api/account/security', signal)).data,
  })

export const useSessions = () =>
  useQuery({
    queryKey: queryKeys.sessions,
    queryFn: async ({ signal }) => (await api.get<ListResponse<SessionRecord>>('api/sessions', signal)).data,
  })

export const useIdentity = () =>
  useQuery({
    queryKey: queryKeys.identity,
    queryFn: async ({ signal }) =>
      (await api.get<ItemResponse<IdentityRecord | null>>('api/account/identity', signal)).data,
  })

/** Opens the team that had to wait for the second factor, if there is one. */
export function openWaitingTeam(): void {
  if (isSecondFactorNeeded) location.assign(document.baseURI)
}

/** The first second factor of an account ends its other sessions. */
export async function refetchSecurity(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: queryKeys.security }),
    queryClient.invalidateQueries({ queryKey: queryKeys.sessions }),
  ])
}
