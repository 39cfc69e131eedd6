/** Creates the options of passkeys, and verifies what browsers send back, with @simplewebauthn/server. Few requests need it. */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import type { PasskeyChallenge } from './attempts.ts'
import type { CredentialRow, StoredPasskey } from './passkey-store.ts'
import type { RelyingParty } from './relying-party.ts'

/** How long the browser waits for the user. The challenge is valid as long. */
const TIMEOUT_MS = 300_000

/** EdDSA, ES256 and RS256, which cover all authenticators. */
const ALGORITHMS = [-8, -7, -257]

const toAllowedCredentials = (credentials: readonly CredentialRow[]) =>
  credentials.map(({ credential_id, transports }) => ({
    id: credential_id.toString('base64url'),
    transports: transports as AuthenticatorTransport[],
  }))
type AuthenticatorTransport = 'ble' | 'cable' | 'hybrid' | 'internal' | 'nfc' | 'smart-card' | 'usb'

export async function createEnrolmentOptions(
  { id }: RelyingParty,
  { email, handle }: { email: string; handle: Uint8Array<ArrayBuffer> },
  credentials: readonly CredentialRow[],
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await import('@simplewebauthn/server')
  return generateRegistrationOptions({
    rpName: 'Belfry',
    rpID: id,
    userName: email,
    userDisplayName: email,
    userID: handle,
    timeout: TIMEOUT_MS,
    attestationType: 'none',
    // The passkey can sign in without email and password, so it must verify the user.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: toAllowedCredentials(credentials),
    supportedAlgorithmIDs: ALGORITHMS,
  })
}

/** With `credentials`, a passkey follows the password: it must be one of them, but doesn't have to verify the user. */
export async function createSignInOptions(
  { id }: RelyingParty,
  credentials?: readonly CredentialRow[],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  return generateAuthenticationOptions({
    rpID: id,
    timeout: TIMEOUT_MS,
    userVerification: credentials === undefined ? 'required' : 'preferred',
    ...(credentials !== undefined && { allowCredentials: toAllowedCredentials(credentials) }),
  })
}

export interface VerifiedEnrolment {
  credentialId: Buffer
  publicKey: Uint8Array
  counter: number
  isBackedUp: boolean
}

/** Returns undefined if the response is not valid. */
export async function verifyEnrolment(
  response: RegistrationResponseJSON,
  expected: PasskeyChallenge,
): Promise<VerifiedEnrolment | undefined> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  try {
    if (await hasCertificates(response)) return undefined
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      ...toExpectations(expected),
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (registrationInfo === undefined) return undefined
    const { credential, credentialBackedUp } = registrationInfo
    return {
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: credential.publicKey,
      counter: credential.counter,
      isBackedUp: credentialBackedUp,
    }
  } catch {
    // The library throws for every response that it rejects.
    return undefined
  }
}

/**
 * To verify a certificate, the library would fetch revocation lists from addresses that the certificate names, which could be any host in
 * our network. We ask browsers for no attestation, so they send `none`, or `packed` without certificates.
 */
async function hasCertificates({ response }: RegistrationResponseJSON): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  const attestation = decodeAttestationObject(Buffer.from(response.attestationObject, 'base64url'))
  const format = attestation.get('fmt')
  if (format === 'none') return false
  return format !== 'packed' || attestation.get('attStmt').get('x5c') !== undefined
}

export interface VerifiedUse {
  counter: number
  isBackedUp: boolean
}

/** Returns undefined if the response is not valid, or if the passkey has a signature counter that has not increased. */
export async function verifyUse(
  response: AuthenticationResponseJSON,
  passkey: StoredPasskey,
  expected: PasskeyChallenge,
  { requiresUserVerification }: { requiresUserVerification: boolean },
): Promise<VerifiedUse | undefined> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      ...toExpectations(expected),
      credential: {
        id: response.id,
        publicKey: new Uint8Array(passkey.public_key),
        counter: passkey.counter,
      },
      requireUserVerification: requiresUserVerification,
    })
    if (!verified) return undefined
    return { counter: authenticationInfo.newCounter, isBackedUp: authenticationInfo.credentialBackedUp }
  } catch {
    return undefined
  }
}

const toExpectations = ({ challenge, origin, relyingPartyId }: PasskeyChallenge) => ({
  expectedChallenge: challenge,
  expectedOrigin: origin,
  expectedRPID: relyingPartyId,
})
