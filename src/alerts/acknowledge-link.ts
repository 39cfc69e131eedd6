/** The link in messages that acknowledges an incident without signing in. Everyone who gets the message can use it. */
import type { Secret } from '../lib/secret.ts'
import { isSameSecret } from '../lib/token.ts'

export const ACKNOWLEDGE_PATH = '/acknowledge'

/** Which incident is acknowledged, and the notification channel whose message has the link. */
export interface AcknowledgeTarget {
  teamId: number
  incidentId: number
  channelId: number
}

/** 16 bytes can't be guessed, and keep the link short enough for text messages. */
const SIGNATURE_BYTES = 16

/** A signature can end with a hyphen, which many programs leave out when they turn a URL into a link. So the ids come last. */
function createAcknowledgeToken(secret: Secret, { teamId, incidentId, channelId }: AcknowledgeTarget): string {
  const ids = [teamId, incidentId, channelId].map((id) => id.toString(36)).join('.')
  const signature = secret.hmac('acknowledge', ids).subarray(0, SIGNATURE_BYTES).toString('base64url')
  return `${signature}.${ids}`
}

/** Every attempt to send a message gets the same URL. It doesn't expire, because a resolved incident can't be acknowledged anyway. */
export function createAcknowledgeUrl(secret: Secret, baseUrl: string, target: AcknowledgeTarget): string {
  return `${baseUrl}${ACKNOWLEDGE_PATH}/${createAcknowledgeToken(secret, target)}`
}

/** Returns undefined if this server did not create the token. */
export function parseAcknowledgeToken(secret: Secret, token: string): AcknowledgeTarget | undefined {
  const parts = /^[\w-]{22}\.([0-9a-z]{1,11})\.([0-9a-z]{1,11})\.([0-9a-z]{1,11})$/.exec(token)
  if (parts === null) return undefined
  const [teamId = 0, incidentId = 0, channelId = 0] = parts.slice(1).map((id) => Number.parseInt(id, 36))
  const target = { teamId, incidentId, channelId }
  return isSameSecret(token, createAcknowledgeToken(secret, target)) ? target : undefined
}
