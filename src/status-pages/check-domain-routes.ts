/** Verifies the custom domain of a status page, and checks whether it points to this server. */
import { publicFile, requireScopes } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import { findHost } from '../http/origin.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { invalid } from '../lib/problem.ts'
import { idParams } from '../lib/schemas.ts'
import { checkDomain } from './domains/check-domain.ts'
import { findOwnHost } from './domains/parse-custom-domain.ts'
import { countDomainCheck, createProofRecord, type DomainVerifier, describeProof } from './domains/proof.ts'
import { DomainCheckResponse } from './domains/schema.ts'
import { createDomainToken, DOMAIN_TOKEN_PATH } from './domains/token.ts'
import { getStatusPage } from './status-pages.ts'

export function statusPageDomainRoutes(
  app: App,
  { config, counter, db, domainVerifier, secret }: RouteDeps & { domainVerifier: DomainVerifier },
): void {
  app.get(DOMAIN_TOKEN_PATH, { config: { access: publicFile }, schema: { hide: true } }, async (request, reply) =>
    reply
      .header('cache-control', 'no-store')
      .type('text/plain; charset=utf-8')
      .send(createDomainToken(secret, findHost(request)) as never),
  )

  app.post(
    '/api/status-pages/:id/check-domain',
    {
      config: { access: requireScopes('status:write'), right: 'edit shared' },
      schema: {
        tags: ['Status pages'],
        operationId: 'checkStatusPageDomain',
        summary: "Verify a status page's custom domain, and check whether it points to this server",
        description:
          'Looks for the TXT record that proves that the domain is yours, looks up the domain, and requests it by https and http. Takes up to 20 seconds. At most 10 checks a minute.',
        params: idParams,
        response: { 200: DomainCheckResponse },
        errors: [422],
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const { custom_domain: domain } = await getStatusPage(db.as(caller), request.params.id)
      if (domain === null) throw invalid({ custom_domain: ['The status page has no `custom_domain`. Set it first.'] })
      const ownHost = findOwnHost(config)
      if (ownHost === undefined)
        throw invalid({
          custom_domain: ['Custom domains need the public URL of this server. Ask an admin to set it.'],
        })
      countDomainCheck(counter, caller.teamId)
      const { teamId } = caller
      const [result, reachability] = await Promise.all([
        domainVerifier.verify({ teamId, pageId: request.params.id, domain }),
        checkDomain(domain, { secret, ownHost, privateTargets: config.privateTargets }),
      ])
      const { custom_domain_verified_at: verifiedAt } = await getStatusPage(db.as(caller), request.params.id)
      return {
        data: describeProof(reachability, { record: createProofRecord(secret, teamId, domain), result, verifiedAt }),
      }
    },
  )
}
