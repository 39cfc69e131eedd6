/** Tests and saves the settings of single sign-on that an admin enters on a page. They are tested before they are saved. */
import {
  parseIssuerUrl,
  parseLabel,
  parseRoleMap,
  parseScopes,
  type SingleSignOnConfig,
} from '../config/single-sign-on.ts'
import type { Clock } from '../lib/clock.ts'
import { formatFieldError, invalid, Problem } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import type { WindowCounter } from '../lib/window-counter.ts'
import { countChange, removeSetting, requireUnsetInEnvironment, saveSetting } from '../server-settings/save-settings.ts'
import type { ServerSettings } from '../server-settings/server-settings.ts'
import type { StoredSingleSignOn } from '../server-settings/stored-settings.ts'
import type { SessionCaller } from '../storage/caller.ts'
import type { Database } from '../storage/database.ts'
import { type ClientSettings, Provider } from './provider.ts'
import { ProviderError } from './provider-error.ts'
import type { SingleSignOnTest, TestSingleSignOn, UpdateSingleSignOn } from './schema.ts'
import { hasOwnIdentity } from './store.ts'

export interface SingleSignOnSettingsDeps {
  clock: Clock
  counter: WindowCounter
  db: Database
  secret: Secret
  serverSettings: ServerSettings
}

type Client = Pick<ClientSettings, 'issuer' | 'clientId' | 'clientSecret'>

/** Tests the entered settings. Where nothing was entered, the settings that apply are tested. */
export async function testSingleSignOn(
  deps: SingleSignOnSettingsDeps,
  input: TestSingleSignOn,
  { userId }: SessionCaller,
  redirectUrl: string | null,
): Promise<SingleSignOnTest> {
  const current = deps.serverSettings.config.singleSignOn
  const issuer = input.issuer ?? current?.issuer
  const clientId = input.client_id ?? current?.clientId
  if (issuer === undefined || clientId === undefined) throw new Problem('conflict', 'Single sign-on is not set up.')
  const errors: Errors = {}
  const client = parseClient({ ...input, issuer, client_id: clientId }, current, errors)
  requireNoErrors(errors)
  countChange(deps.counter, userId)
  return testClient(deps, client, redirectUrl)
}

export async function saveSingleSignOn(
  deps: SingleSignOnSettingsDeps,
  input: UpdateSingleSignOn,
  admin: SessionCaller,
  redirectUrl: string | null,
): Promise<void> {
  const { serverSettings } = deps
  requireUnsetInEnvironment(serverSettings.environment.singleSignOn, 'BELFRY_OIDC_ISSUER', 'identity provider')
  const settings = parseSettings(input, serverSettings.values.single_sign_on)
  countChange(deps.counter, admin.userId)
  const { problem, client } = await testClient(deps, settings, redirectUrl)
  if (problem !== null && (client === null || client === 'rejected')) {
    throw new Problem('provider_delivery_failed', problem)
  }
  if (settings.isOnly && !(await hasOwnIdentity(deps.db.as(admin), settings.issuer))) {
    throw new Problem(
      'conflict',
      'Save these settings without `only`, link your own account, and then turn `only` on. Otherwise you could be locked out.',
    )
  }
  await saveSetting(deps, 'single_sign_on', settings)
}

export function removeSingleSignOn(deps: SingleSignOnSettingsDeps): Promise<void> {
  return removeSetting(deps, 'single_sign_on')
}

async function testClient({ clock }: SingleSignOnSettingsDeps, client: Client, redirectUrl: string | null) {
  const provider = new Provider({ ...client, scopes: 'openid', roleClaim: undefined }, clock)
  const nothingFound = { issuer: null, client: null, signs_out: null, ends_sessions: null }
  try {
    const metadata = await provider.findMetadata()
    const result = await provider.checkClient(redirectUrl ?? 'https://belfry.invalid/')
    const noUrl =
      redirectUrl === null ? 'Set the public URL first: the identity provider sends people back to it.' : null
    return {
      redirect_url: redirectUrl,
      problem: result === 'rejected' ? new ProviderError('client refused').sentence : noUrl,
      issuer: metadata.issuer,
      client: result,
      signs_out: metadata.end_session_endpoint !== undefined,
      ends_sessions: metadata['backchannel_logout_supported'] === true,
    }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    return { redirect_url: redirectUrl, problem: error.sentence, ...nothingFound }
  }
}

type Errors = Record<string, string[]>

function requireNoErrors(errors: Errors): void {
  if (Object.keys(errors).length > 0) throw invalid(errors)
}

/** Returns an empty text or list instead of a wrong value, and notes the error. */
function parseField<T>(errors: Errors, field: string, parse: () => T, fallback: T): T {
  try {
    return parse()
  } catch (error) {
    errors[field] = [formatFieldError(field, (error as Error).message)]
    return fallback
  }
}

/** A secret that was saved for one provider is never sent to another one, which could belong to somebody who wants to read it. */
function parseClient(
  input: { issuer: string; client_id: string; client_secret?: string },
  saved: Client | undefined,
  errors: Errors,
): Client {
  const issuer = parseField(errors, 'issuer', () => parseIssuerUrl(input.issuer.trim()), '')
  const clientId = input.client_id.trim()
  const isSameClient = saved !== undefined && saved.issuer === issuer && saved.clientId === clientId
  const clientSecret = input.client_secret || (isSameClient ? saved.clientSecret : '')
  if (clientId === '') errors['client_id'] = [formatFieldError('client_id', 'is required')]
  if (clientSecret === '') {
    const rule = 'is required, also after the issuer or the client ID has changed'
    errors['client_secret'] = [formatFieldError('client_secret', rule)]
  }
  return { issuer, clientId, clientSecret }
}

const defaults = { scopes: 'openid email profile', label: 'Single sign-on' }

/** Also for settings that an admin saves in other ways. `saved` is what applied before. */
function parseSettings(input: UpdateSingleSignOn, saved: StoredSingleSignOn | undefined): StoredSingleSignOn {
  const errors: Errors = {}
  const client = parseClient(input, saved, errors)
  const { scopes = defaults.scopes, label = defaults.label, role_claim: roleClaim = '', role_map: roleMap = '' } = input
  const settings: Omit<SingleSignOnConfig, 'roleMap'> = {
    ...client,
    scopes: parseField(errors, 'scopes', () => parseScopes(scopes), ''),
    label: parseField(errors, 'label', () => parseLabel(label.trim()), ''),
    roleClaim: roleClaim.trim() || undefined,
    createsUsers: input.create_users === true,
    isOnly: input.only === true,
  }
  const roleMapText = roleMap.trim()
  if (roleMapText !== '') parseField(errors, 'role_map', () => void parseRoleMap(roleMapText), undefined)
  if ((roleMapText === '') !== (settings.roleClaim === undefined)) {
    errors['role_map'] ??= [formatFieldError('role_map', 'and `role_claim` must be set together')]
  }
  requireNoErrors(errors)
  return { ...settings, roleMapText }
}
