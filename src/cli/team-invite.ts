import { systemClock } from '../lib/clock.ts'
import { INVITATION_LIFETIME_HOURS } from '../shared/limits.ts'
import { guestAccesses, roles } from '../shared/roles.ts'
import type { CreateInvitation } from '../teams/invitation-schema.ts'
import { type Command, type Invocation, UsageError } from './common/command.ts'
import { withDatabase } from './common/with-database.ts'
import { getTeamArgument, getTeamName } from './find-team.ts'
import { getLinkBaseUrl, readSavedConfig } from './link-settings.ts'
import { asTeam } from './store.ts'

function readRequiredOption({ options }: Invocation, name: string): string {
  const value = options[name]
  if (typeof value !== 'string') throw new UsageError(`Missing option: --${name}`)
  return value.trim()
}

function readIdsOption({ options }: Invocation, name: string): number[] | undefined {
  const value = options[name]
  if (typeof value !== 'string') return undefined
  const ids = value.split(',').map((part) => part.trim())
  if (!ids.every((id) => /^[1-9]\d{0,15}$/.test(id))) throw new UsageError(`--${name} must be ids such as 3,14.`)
  return ids.map(Number)
}

/** The schema of the API checks the values. */
function readInvitation(invocation: Invocation): CreateInvitation {
  const { access } = invocation.options
  const websiteIds = readIdsOption(invocation, 'websites')
  const pageIds = readIdsOption(invocation, 'status-pages')
  return {
    email: readRequiredOption(invocation, 'email'),
    role: readRequiredOption(invocation, 'role') as CreateInvitation['role'],
    ...(typeof access === 'string' && { access: access as NonNullable<CreateInvitation['access']> }),
    ...(websiteIds !== undefined && { website_ids: websiteIds }),
    ...(pageIds !== undefined && { status_page_ids: pageIds }),
  }
}

export const teamInvite: Command = {
  name: 'team invite',
  summary: 'print a link with which a person joins a team',
  usage:
    'team invite <team id> --email <email> --role <role> [--access <access>] [--websites <ids>] [--status-pages <ids>]',
  details: [
    `  Roles: ${roles.join(', ')}. For guests, --websites and --status-pages say what they see,`,
    `  and --access whether they may change it (${guestAccesses.join(' or ')}).`,
    `  The link works once, within ${INVITATION_LIFETIME_HOURS} hours, for this address. Nothing is mailed. The link replaces an earlier`,
    '  invitation of the address.',
  ].join('\n'),
  options: {
    email: { type: 'string' },
    role: { type: 'string' },
    access: { type: 'string' },
    websites: { type: 'string' },
    'status-pages': { type: 'string' },
  },
  maxArguments: 1,
  async run(invocation) {
    const id = getTeamArgument(invocation)
    const input = readInvitation(invocation)
    // Loaded on demand, so that other commands start faster.
    const [{ requireValidInvitation }, { createInvitation, toInvitationUrl }] = await Promise.all([
      import('./validate.ts'),
      import('../teams/invitations.ts'),
    ])
    requireValidInvitation(input)
    const { name, url } = await withDatabase(invocation, async (db) => {
      const name = await getTeamName(db, id)
      const baseUrl = getLinkBaseUrl(invocation, await readSavedConfig(invocation, db))
      const { token } = await asTeam(db, id, (q) => createInvitation(q, input, { clock: systemClock, server: db }))
      return { name, url: toInvitationUrl(baseUrl, token) }
    })
    invocation.out(url)
    invocation.note(
      `${input.email} can join the team ${JSON.stringify(name)} with this link, once, within ${INVITATION_LIFETIME_HOURS} hours.`,
    )
    return 0
  },
}
