/** The email with an invitation. Users choose its recipient and the name of the team. */
import { toVisibleLine } from '../lib/text.ts'
import type { LinkEmail } from '../links/link-email.ts'
import { INVITATION_LIFETIME_HOURS, MAX_TEAM_NAME_LENGTH } from '../shared/limits.ts'
import type { Role } from '../shared/roles.ts'

const roleNames: Record<Role, string> = {
  owner: 'an owner',
  admin: 'an admin',
  editor: 'an editor',
  viewer: 'a viewer',
  guest: 'a guest',
}

interface InvitationContent {
  to: string
  baseUrl: string
  url: string
  teamName: string
  role: Role
  invitedBy: string | null
}

export function composeInvitationEmail({ to, baseUrl, url, teamName, role, invitedBy }: InvitationContent): LinkEmail {
  const team = toVisibleLine(teamName, MAX_TEAM_NAME_LENGTH)
  const inviter = invitedBy ?? 'The operator of the server'
  return {
    to,
    subject: `Invitation to the team "${team}" on Belfry`,
    category: 'Invitation',
    heading: 'You are invited to a team',
    paragraphs: [
      `${inviter} invites you to work in the team "${team}" at ${baseUrl}, as ${roleNames[role]}.`,
      `The link works once, for the address ${to}, within ${INVITATION_LIFETIME_HOURS} hours.`,
    ],
    link: { label: 'View invitation', url },
    reason: `You're receiving this because ${inviter} entered this address. If you don't expect an invitation, ignore this email.`,
  }
}
