/** Checks whether a custom domain points to this server, and says what to do if it doesn't. */
import type { Secret } from '../../lib/secret.ts'
import { toVisibleLine } from '../../lib/text.ts'
import type { ConnectorOptions } from '../../outgoing/connector.ts'
import { fetchShortText, type ShortTextResult } from '../../outgoing/fetch-short-text.ts'
import { Guard, type ResolveHost } from '../../outgoing/guard.ts'
import { findNetworkFault } from '../../outgoing/network-fault.ts'
import type { PrivateTargets } from '../../outgoing/private-targets.ts'
import type { DomainReachability } from './schema.ts'
import { createDomainToken, DOMAIN_TOKEN_PATH } from './token.ts'

export interface DomainCheckDeps {
  secret: Secret
  privateTargets: PrivateTargets
  /** The host of the public URL, to which a CNAME record can point. */
  ownHost: string | undefined
  /** The default is the system's resolver. */
  resolve?: ResolveHost
  /** Returns the origins of a domain. The default uses the standard ports. */
  originsOf?: (domain: string) => { https: string; http: string }
  tls?: ConnectorOptions['tls']
}

const listOrigins = (domain: string) => ({ https: `https://${domain}`, http: `http://${domain}` })

export async function checkDomain(domain: string, deps: DomainCheckDeps): Promise<DomainReachability> {
  const { originsOf = listOrigins, tls, privateTargets, resolve } = deps
  const guard = new Guard(privateTargets, resolve === undefined ? {} : { resolve })
  const resolution = await resolveDomain(domain, guard)
  if ('problem' in resolution) return describeUnresolved(domain, resolution.problem, deps)
  const origins = originsOf(domain)
  const options = { guard, ...(tls !== undefined && { tls }) }
  const [https, http] = await Promise.all([
    fetchShortText(origins.https + DOMAIN_TOKEN_PATH, options),
    fetchShortText(origins.http + DOMAIN_TOKEN_PATH, options),
  ])
  const context = { domain, secret: deps.secret }
  const results = { https: judge(https, context), http: judge(http, { ...context, redirectsTo: origins.https }) }
  return {
    domain,
    addresses: resolution.addresses,
    https: toRecord(results.https),
    http: toRecord(results.http),
    points_here: results.https.kind === 'token' || results.http.kind === 'token',
    hint: createHint(results, { domain, addresses: resolution.addresses, ownHost: deps.ownHost }),
  }
}

async function resolveDomain(
  domain: string,
  guard: Guard,
): Promise<{ addresses: string[] } | { problem: DomainProblem }> {
  try {
    return { addresses: (await guard.resolveVetted(domain)).map(({ address }) => address) }
  } catch (error) {
    const fault = findNetworkFault(error)
    if (fault === undefined) throw error
    return { problem: { kind: fault.cause === 'blocked' ? 'blocked' : 'no address', sentence: fault.description } }
  }
}

interface DomainProblem {
  kind: 'no address' | 'blocked' | 'no connection' | 'certificate' | 'host replaced' | 'other server' | 'redirect'
  sentence: string
}

type Judgement =
  /** This server answered with the token of this domain. */
  | { kind: 'token' }
  /** The domain redirects from http to https. */
  | { kind: 'redirect to https' }
  | { kind: 'problem'; problem: DomainProblem }

interface JudgeContext {
  domain: string
  secret: Secret
  /** The https origin of the domain. A redirect to it is not a problem. */
  redirectsTo?: string
}

const fail = (kind: DomainProblem['kind'], sentence: string): Judgement => ({
  kind: 'problem',
  problem: { kind, sentence },
})

function judge(result: ShortTextResult, { domain, secret, redirectsTo }: JudgeContext): Judgement {
  if (result.kind === 'failure') {
    const kind = result.cause === 'tls' ? 'certificate' : result.cause === 'blocked' ? 'blocked' : 'no connection'
    return fail(kind, toSentence(result.description))
  }
  if (result.kind === 'redirect') {
    if (redirectsTo !== undefined && result.location.startsWith(`${redirectsTo}/`)) return { kind: 'redirect to https' }
    return fail('redirect', `The domain redirects to ${toVisibleLine(result.location, MAX_SHOWN_LENGTH)}.`)
  }
  const { status, body = '' } = result
  if (body === createDomainToken(secret, domain)) return { kind: 'token' }
  const [receivedHost = ''] = body.split(' ')
  if (status === 200 && body === createDomainToken(secret, receivedHost)) {
    return fail('host replaced', `Belfry answers, but a proxy replaced the Host header with ${receivedHost}.`)
  }
  return fail('other server', `Another server answers, with status ${status}.`)
}

/** URLs that another server sent are shortened to this length. */
const MAX_SHOWN_LENGTH = 200

const toSentence = (description: string) => `${description.charAt(0).toUpperCase()}${description.slice(1)}.`

const toRecord = (judgement: Judgement) => ({
  ok: judgement.kind !== 'problem',
  problem: judgement.kind === 'problem' ? judgement.problem.sentence : null,
})

function describeUnresolved(domain: string, problem: DomainProblem, { ownHost }: DomainCheckDeps): DomainReachability {
  const sentence = toSentence(problem.sentence)
  const target = ownHost === undefined ? '' : `a CNAME record that points to ${ownHost}, or `
  return {
    domain,
    addresses: [],
    https: { ok: false, problem: sentence },
    http: { ok: false, problem: sentence },
    points_here: false,
    hint:
      problem.kind === 'blocked'
        ? sentence
        : `${sentence} If ${domain} has no DNS record yet, create ${target}A and AAAA records with the addresses of this server. It can take an hour until a new record is visible everywhere.`,
  }
}

interface HintContext {
  domain: string
  addresses: readonly string[]
  ownHost: string | undefined
}

/** Returns only the first step that the user has to take, even if there are several problems. */
function createHint(
  results: { https: Judgement; http: Judgement },
  { domain, addresses, ownHost }: HintContext,
): string {
  const { https, http } = results
  if (https.kind === 'token') return `${domain} shows your status page.`
  const problems = [https, http].flatMap((result) => (result.kind === 'problem' ? [result.problem] : []))
  const findProblem = (kind: DomainProblem['kind']) => problems.find((problem) => problem.kind === kind)
  if (findProblem('host replaced') !== undefined)
    return `Requests for ${domain} reach Belfry with another Host header. Configure the proxy to pass the Host header on.`
  if (http.kind === 'token') {
    return findProblem('certificate') === undefined
      ? `${domain} points to this server, but only without encryption. Open port 443, and configure the proxy to get a certificate for ${domain}.`
      : `${domain} points to this server, but its certificate is not valid. Configure the proxy to get a certificate for ${domain}.`
  }
  const shownAddresses = addresses.join(', ')
  const certificateProblem = findProblem('certificate')
  if (certificateProblem !== undefined && findProblem('other server') === undefined)
    return `A server answers at ${shownAddresses}, but without a valid certificate for ${domain}. If it is the proxy of this server, configure it to get a certificate for ${domain}.`
  const blockedProblem = findProblem('blocked')
  if (blockedProblem !== undefined) return blockedProblem.sentence
  if (findProblem('other server') !== undefined || findProblem('redirect') !== undefined) {
    const expectedAddresses = ownHost === undefined ? 'the addresses of this server' : `the addresses of ${ownHost}`
    return `Another server answers at ${shownAddresses}. Change the DNS record of ${domain} to ${expectedAddresses}, and add ${domain} to the configuration of the proxy.`
  }
  return `Nothing answers at ${shownAddresses}. Check that these are the addresses of this server, that its proxy is running, and that ports 80 and 443 are open.`
}
