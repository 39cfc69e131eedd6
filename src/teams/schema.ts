/** Teams, their members, and the choice of a team for a session. */
import type { Static } from 'typebox'
import {
  itemResponse,
  listResponse,
  nullable,
  resourceId,
  stringEnum,
  stringEnumOrNull,
  timestamp,
} from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { MAX_TEAM_NAME_LENGTH } from '../shared/limits.ts'
import { guestAccesses, type Role, roles } from '../shared/roles.ts'

const teamName = Type.String({ minLength: 1, maxLength: MAX_TEAM_NAME_LENGTH, examples: ['Shop team'] })

export const roleField = stringEnum<Role>(roles, {
  description:
    '`owner`: everything. `admin`: everything except appointing and removing owners, and deleting the team. `editor`: everything except people, settings and the keys of others. `viewer`: only reads. `guest`: only the websites and status pages that were shared with them.',
  examples: ['editor'],
})

export const guestAccessField = stringEnumOrNull(guestAccesses, {
  description:
    'What a guest may do with the websites and status pages that were shared with them; null for other roles',
})

const requiresSecondFactor = Type.Boolean({
  description:
    'Whether members need a second factor, or single sign-on, to act in the team with a session. Others get 403 `second_factor_required`',
})

export const TeamRecord = Type.Object(
  {
    id: Type.Integer({ examples: [7] }),
    name: teamName,
    requires_second_factor: requiresSecondFactor,
    role: { ...roleField, description: 'Your role in the team' } as typeof roleField,
    is_current: Type.Boolean({ description: 'Whether your session acts in this team' }),
    created_at: timestamp,
  },
  { additionalProperties: false },
)
export type TeamRecord = Static<typeof TeamRecord>

export const TeamResponse = itemResponse(TeamRecord)
export const TeamList = listResponse(
  TeamRecord,
  Type.Object({ total: Type.Integer() }, { additionalProperties: false }),
)

export const CreateTeam = Type.Object({ name: teamName }, { additionalProperties: false })
export const UpdateTeam = Type.Object(
  { name: Type.Optional(teamName), requires_second_factor: Type.Optional(requiresSecondFactor) },
  { additionalProperties: false },
)
export type UpdateTeam = Static<typeof UpdateTeam>

export const ChooseTeam = Type.Object({ team_id: resourceId }, { additionalProperties: false })

export const sharedIdsField = (name: string) =>
  nullable(
    Type.Array(Type.Integer(), { description: `The ids of the ${name} that a guest may see; null for other roles` }),
  )

export const MemberRecord = Type.Object(
  {
    user_id: Type.Integer({ examples: [3] }),
    email: Type.String({ examples: ['ada@example.com'] }),
    role: roleField,
    access: guestAccessField,
    website_ids: sharedIdsField('websites'),
    status_page_ids: sharedIdsField('status pages'),
    joined_at: timestamp,
  },
  { additionalProperties: false },
)
export type MemberRecord = Static<typeof MemberRecord>

export const MemberResponse = itemResponse(MemberRecord)
export const MemberList = listResponse(
  MemberRecord,
  Type.Object({ total: Type.Integer() }, { additionalProperties: false }),
)

/** The most websites, and the most status pages, that a team can share with one guest. */
const MAX_SHARED = 1_000

const sharedIdsInput = (name: string) =>
  Type.Array(resourceId, { maxItems: MAX_SHARED, uniqueItems: true, description: `The ${name} to share with a guest` })

/** What is shared with a guest. The invitation of a guest has the same fields. */
export const guestFields = {
  access: Type.Optional(stringEnum(guestAccesses, { description: 'For guests. Default: `read`' })),
  website_ids: Type.Optional(sharedIdsInput('websites')),
  status_page_ids: Type.Optional(sharedIdsInput('status pages')),
}

export const UpdateMember = Type.Object(
  { role: Type.Optional(roleField), ...guestFields },
  { additionalProperties: false },
)
export type UpdateMember = Static<typeof UpdateMember>

export const memberParams = Type.Object({ id: resourceId, user_id: resourceId })
