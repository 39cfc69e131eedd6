/** A software authenticator, which creates passkeys (ES256, attestation `none`) and signs in with them, as a browser with a phone would. */
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes, X509Certificate } from 'node:crypto'

interface CreationOptions {
  challenge: string
  rp: { id?: string }
  user: { id: string }
}

interface RequestOptions {
  challenge: string
  rpId?: string
  allowCredentials?: { id: string }[]
}

/** What an attacker or a broken device would change. */
export interface Deviations {
  origin?: string
  challenge?: string
  relyingPartyId?: string
  counter?: number
  isUserVerified?: boolean
  userHandle?: string | undefined
  attestation?: Attestation
}

interface Attestation {
  format: string
  /** Returns CBOR. */
  createStatement(signedData: Buffer): Buffer
}

const noAttestation: Attestation = { format: 'none', createStatement: () => encodeMap([]) }

/** An attestation that the maker of the authenticator has signed. */
export function signAttestation(certificate: string, privateKey: string): Attestation {
  return {
    format: 'packed',
    createStatement: (signedData) =>
      encodeMap([
        [encodeText('alg'), encodeInteger(-7)],
        [encodeText('sig'), encodeBytes(createSign('sha256').update(signedData).sign(privateKey))],
        [encodeText('x5c'), encodeList([encodeBytes(new X509Certificate(certificate).raw)])],
      ]),
  }
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const BACKUP_ELIGIBLE = 0x08
const BACKED_UP = 0x10
const HAS_CREDENTIAL = 0x40

export class Authenticator {
  readonly credentialId = randomBytes(16)
  readonly #keys: { publicKey: KeyObject; privateKey: KeyObject } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly #origin: string
  #userHandle = ''
  /** Passkeys that are synchronized between devices always send zero. */
  counter = 0

  constructor(origin: string) {
    this.#origin = origin
  }

  /** Returns the JSON of `navigator.credentials.create()`. */
  create(options: CreationOptions, deviations: Deviations = {}) {
    this.#userHandle = options.user.id
    const { attestation = noAttestation } = deviations
    const clientData = this.#createClientData('webauthn.create', options.challenge, deviations)
    const credential = Buffer.concat([
      Buffer.alloc(16),
      Buffer.of(0, this.credentialId.length),
      this.credentialId,
      this.#encodePublicKey(),
    ])
    const authData = Buffer.concat([this.#createAuthData(options.rp.id ?? '', deviations, HAS_CREDENTIAL), credential])
    const attestationObject = encodeMap([
      [encodeText('fmt'), encodeText(attestation.format)],
      [encodeText('attStmt'), attestation.createStatement(Buffer.concat([authData, sha256(clientData)]))],
      [encodeText('authData'), encodeBytes(authData)],
    ])
    return this.#toJson({
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal', 'hybrid'],
    })
  }

  /** Returns the JSON of `navigator.credentials.get()`. */
  get(options: RequestOptions, deviations: Deviations = {}) {
    const authData = this.#createAuthData(options.rpId ?? '', deviations)
    const clientData = this.#createClientData('webauthn.get', options.challenge, deviations)
    const signature = createSign('sha256')
      .update(Buffer.concat([authData, sha256(clientData)]))
      .sign(this.#keys.privateKey)
    const userHandle = 'userHandle' in deviations ? deviations.userHandle : this.#userHandle
    return this.#toJson({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: signature.toString('base64url'),
      ...(userHandle !== undefined && { userHandle }),
    })
  }

  #toJson<T extends object>(response: T) {
    const id = this.credentialId.toString('base64url')
    return {
      id,
      rawId: id,
      type: 'public-key',
      response,
      clientExtensionResults: {},
      authenticatorAttachment: 'platform',
    }
  }

  #createClientData(type: string, challenge: string, deviations: Deviations): Buffer {
    const origin = deviations.origin ?? this.#origin
    return Buffer.from(
      JSON.stringify({ type, challenge: deviations.challenge ?? challenge, origin, crossOrigin: false }),
    )
  }

  #createAuthData(relyingPartyId: string, deviations: Deviations, furtherFlags = 0): Buffer {
    const { counter = this.counter, isUserVerified = true } = deviations
    const verified = isUserVerified ? USER_VERIFIED : 0
    const counterBytes = Buffer.alloc(4)
    counterBytes.writeUInt32BE(counter)
    return Buffer.concat([
      sha256(deviations.relyingPartyId ?? relyingPartyId),
      Buffer.of(USER_PRESENT | verified | BACKUP_ELIGIBLE | BACKED_UP | furtherFlags),
      counterBytes,
    ])
  }

  /** A COSE key: {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}. */
  #encodePublicKey(): Buffer {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' })
    return encodeMap([
      [encodeInteger(1), encodeInteger(2)],
      [encodeInteger(3), encodeInteger(-7)],
      [encodeInteger(-1), encodeInteger(1)],
      [encodeInteger(-2), encodeBytes(Buffer.from(x, 'base64url'))],
      [encodeInteger(-3), encodeBytes(Buffer.from(y, 'base64url'))],
    ])
  }
}

/** The first bytes of a CBOR item: its type, and its value or length. */
function encodeHead(majorType: number, value: number): Buffer {
  if (value < 24) return Buffer.of((majorType << 5) | value)
  if (value < 256) return Buffer.of((majorType << 5) | 24, value)
  return Buffer.of((majorType << 5) | 25, value >> 8, value & 255)
}

const encodeInteger = (value: number) => (value < 0 ? encodeHead(1, -1 - value) : encodeHead(0, value))
const encodeText = (text: string) => Buffer.concat([encodeHead(3, Buffer.byteLength(text)), Buffer.from(text)])
const encodeBytes = (bytes: Buffer) => Buffer.concat([encodeHead(2, bytes.length), bytes])
const encodeList = (items: Buffer[]) => Buffer.concat([encodeHead(4, items.length), ...items])
const encodeMap = (entries: [Buffer, Buffer][]) => Buffer.concat([encodeHead(5, entries.length), ...entries.flat()])
