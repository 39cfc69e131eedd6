/** The sample request shown with a new API key. */
import type { Scope } from '../../../src/shared/scopes.ts'

/** For each permission, a request that it allows. Requests that only read come first. */
const requestByScope: readonly (readonly [Scope, string])[] = [
  ['monitors:read', '/api/monitors'],
  ['websites:read', '/api/v1/websites'],
  ['providers:read', '/api/providers'],
  ['status:read', '/api/status-pages'],
  ['monitors:write', "/api/monitors -d friendly_name=Shop --data-urlencode 'url=https://example.com/'"],
  ['websites:write', '/api/v1/websites -d domain=example.com'],
  ['providers:write', '/api/providers -d provider_type=email -d recipient_email=you@example.com'],
  ['status:write', '/api/status-pages -d slug=example -d title=Example'],
]

/** A curl command that sends a request which the scopes of the key allow. */
export function chooseSampleRequest(
  scopes: readonly Scope[],
  { url, apiKey }: { url: string; apiKey: string },
): string {
  // Every API key can list the keys of its user.
  const [, request] = requestByScope.find(([scope]) => scopes.includes(scope)) ?? [undefined, '/api/keys']
  return `curl -H 'Authorization: Bearer ${apiKey}' ${url}${request}`
}
