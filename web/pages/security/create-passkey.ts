import { api, type ItemResponse } from '../../lib/api.ts'
import { rethrowPasskeyError } from '../../lib/sign-in.ts'

const loadWebAuthn = () => import('@simplewebauthn/browser')

type Options = Parameters<Awaited<ReturnType<typeof loadWebAuthn>>['startRegistration']>[0]['optionsJSON']

/** Returns recovery codes if the account had none. */
export async function createPasskey(name: string, proof: object): Promise<string[] | null> {
  const [{ startRegistration }, { data }] = await Promise.all([
    loadWebAuthn(),
    api.post<ItemResponse<{ attempt: string; options: Options }>>('api/account/passkeys/options', proof),
  ])
  const credential = await startRegistration({ optionsJSON: data.options }).catch(rethrowPasskeyError)
  const created = await api.post<ItemResponse<{ recovery_codes: string[] | null }>>('api/account/passkeys', {
    attempt: data.attempt,
    credential,
    name,
  })
  return created.data.recovery_codes
}
