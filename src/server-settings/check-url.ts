/** Checks, before a public URL is saved, that it leads to this installation. */
import { randomBytes } from 'node:crypto'
import { parsePublicUrl } from '../config/setting-parsers.ts'
import type { Secret } from '../lib/secret.ts'
import { toVisibleLine } from '../lib/text.ts'
import { isSameSecret } from '../lib/token.ts'
import { fetchShortText, type ShortTextResult } from '../outgoing/fetch-short-text.ts'
import { Guard } from '../outgoing/guard.ts'
import type { PrivateTargets } from '../outgoing/private-targets.ts'
import { createProof, PROOF_PATH } from './installation-proof.ts'

/** URLs that another server sent are shortened to this length. */
const MAX_SHOWN_LENGTH = 200

/** The rule continues the sentence that begins with the name of the field. */
export type ParsedUrl = { url: string } | { rule: string }

export function parseEnteredUrl(text: string): ParsedUrl {
  try {
    return { url: parsePublicUrl(text.trim()) }
  } catch (error) {
    return { rule: (error as Error).message }
  }
}

/** Returns why the URL doesn't lead to this installation, or undefined if it does. */
export async function findUrlProblem(
  url: string,
  { secret, privateTargets }: { secret: Secret; privateTargets: PrivateTargets },
): Promise<string | undefined> {
  const challenge = randomBytes(16).toString('base64url')
  const guard = new Guard(privateTargets)
  const result = await fetchShortText(`${url}${PROOF_PATH}?challenge=${challenge}`, { guard })
  return describeProblem(url, result, createProof(secret, challenge))
}

export function describeProblem(url: string, result: ShortTextResult, expectedProof: string): string | undefined {
  if (result.kind === 'failure') return `Belfry can't reach ${url}: ${result.description}.`
  if (result.kind === 'redirect') {
    const target = toVisibleLine(result.location.split(PROOF_PATH, 1)[0] ?? '', MAX_SHOWN_LENGTH)
    return `${url} redirects to ${target}. If that is the address of Belfry, enter it instead.`
  }
  if (result.status === 200 && isSameSecret(result.body ?? '', expectedProof)) return undefined
  return `Another server answers at ${url}, with status ${result.status}. Check the DNS record and the reverse proxy.`
}

interface PageRequest {
  origin: string | undefined
  referer: string | undefined
}

/**
 * Whether the page that sent the request was loaded from this URL. Then the browser has shown that the URL leads here, even
 * if this server can't connect to its own public address.
 */
export function isSentFrom(url: string, { origin, referer }: PageRequest): boolean {
  const { origin: expectedOrigin, pathname } = new URL(url)
  if (origin !== expectedOrigin) return false
  return pathname === '/' || (referer ?? '').startsWith(`${url}/`)
}
