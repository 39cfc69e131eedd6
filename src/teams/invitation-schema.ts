/** Invitations to teams. */
import type { Static } from 'typebox'
import { SessionResponse } from '../accounts/schema.ts'
import { itemResponse, listResponse, nullable, resourceId, timestamp } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { MAX_EMAIL_LENGTH, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../shared/limits.ts'
import { guestAccessField, guestFields, roleField, sharedIdsField } from './schema.ts'

const emailExample = { examples: ['grace@example.com'] }

const invitedBy = nullable(
  Type.String({ description: 'The address of the inviter; null from the command line', examples: ['ada@example.com'] }),
)

export const InvitationRecord = Type.Object(
  {
    id: Type.Integer({ examples: [4] }),
    email: Type.String(emailExample),
    role: roleField,
    access: guestAccessField,
    website_ids: sharedIdsField('websites'),
    status_page_ids: sharedIdsField('status pages'),
    invited_by: invitedBy,
    is_mailed: Type.Boolean({ description: 'Whether a mail server has accepted an email with a link' }),
    created_at: timestamp,
    expires_at: timestamp,
  },
  { additionalProperties: false },
)
export type InvitationRecord = Static<typeof InvitationRecord>

export const InvitationList = listResponse(
  InvitationRecord,
  Type.Object({ total: Type.Integer() }, { additionalProperties: false }),
)

export const CreateInvitation = Type.Object(
  {
    email: Type.String({ format: 'email', maxLength: MAX_EMAIL_LENGTH, ...emailExample }),
    role: roleField,
    ...guestFields,
  },
  { additionalProperties: false },
)
export type CreateInvitation = Static<typeof CreateInvitation>

export const InvitationCreatedResponse = itemResponse(
  Type.Object(
    {
      ...InvitationRecord.properties,
      url: Type.String({
        description: 'The link to the invitation. It is shown only here.',
        examples: ['https://stats.example.com/invitations/Ae8…'],
      }),
      mail_problem: nullable(
        Type.String({
          description: 'Why the invitation was not mailed; null if it was, or if the server cannot send email',
        }),
      ),
    },
    { additionalProperties: false },
  ),
)

export const invitationParams = Type.Object({ id: resourceId, invitation_id: resourceId })

const token = Type.String({ minLength: 1, maxLength: 200, description: 'The last part of the link' })

export const PreviewInvitation = Type.Object({ token }, { additionalProperties: false })

export const InvitationPreviewResponse = itemResponse(
  Type.Object(
    {
      team_name: Type.String({ examples: ['Shop team'] }),
      role: roleField,
      email: Type.String(emailExample),
      invited_by: invitedBy,
      expires_at: timestamp,
    },
    { additionalProperties: false },
  ),
)

export const AcceptInvitation = Type.Object(
  {
    token,
    password: Type.Optional(
      Type.String({
        minLength: MIN_PASSWORD_LENGTH,
        maxLength: MAX_PASSWORD_LENGTH,
        format: 'password',
        description: 'The password of the new account. Without a session, it is required.',
        examples: ['correct horse battery'],
      }),
    ),
  },
  { additionalProperties: false },
)

export const InvitationAcceptedResponse = itemResponse(
  Type.Object(
    {
      ...SessionResponse.properties.data.properties,
      team_id: Type.Integer({ description: 'The team, in which your session acts now', examples: [7] }),
    },
    { additionalProperties: false },
  ),
)
