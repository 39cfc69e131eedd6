/** The audit log. */
import type { Static } from 'typebox'
import { nullable, resourceId, stringEnum, timestamp } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { auditActorKinds, auditObjects } from '../shared/audit.ts'

const changedFields = (description: string, example: object) =>
  Type.Unsafe<Record<string, unknown> | null>({
    type: ['object', 'null'],
    additionalProperties: true,
    description: `${description} Secrets are \`[hidden]\``,
    examples: [example],
  })

const actorKind = stringEnum(auditActorKinds, {
  description:
    '`user`: a person. `key`: an API key. `agent`: a program that acts for a person. `command`: the command line. `server`: Belfry itself',
  examples: ['user'],
})

const object = stringEnum(auditObjects, {
  description: 'The kind of object. `user` stands for how a member signs in',
  examples: ['monitor'],
})

export const AuditRecord = Type.Object(
  {
    id: Type.Integer({ examples: [812] }),
    at: timestamp,
    actor: Type.Object(
      {
        kind: actorKind,
        id: nullable(Type.Integer({ description: 'The id of the user or key', examples: [3] })),
        name: Type.String({
          description: 'The email of the user, the name of the key, or the command',
          examples: ['ada@example.com'],
        }),
      },
      { additionalProperties: false },
    ),
    action: Type.String({ examples: ['monitor.paused'] }),
    object,
    object_id: nullable(
      Type.Integer({
        description: 'For an assignment, the id of its monitor; for a member, of the user',
        examples: [12],
      }),
    ),
    object_name: nullable(Type.String({ description: 'What the object was called', examples: ['Checkout'] })),
    before: changedFields('The fields that changed, with their old values; null if the object is new.', {
      is_active: true,
    }),
    after: changedFields('The fields that changed, with their new values; null if the object was deleted.', {
      is_active: false,
    }),
    ip: nullable(Type.String({ examples: ['203.0.113.7'] })),
    request_id: nullable(Type.String({ description: 'The `X-Request-Id` of the request that made the change' })),
  },
  { additionalProperties: false },
)
export type AuditRecord = Static<typeof AuditRecord>

const bound = (description: string) =>
  Type.Optional(Type.String({ maxLength: 40, description, examples: ['2026-01-05'] }))

export const AuditQuery = Type.Object({
  action: Type.Optional(Type.String({ maxLength: 100, examples: ['monitor.paused'] })),
  object: Type.Optional(object),
  object_id: Type.Optional(resourceId),
  actor_kind: Type.Optional(actorKind),
  actor_id: Type.Optional(resourceId),
  from: bound('Entries since this time. A day begins in the time zone of the server'),
  to: bound('Entries before this time, or until the end of this day'),
  search: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name of the actor or object' })),
})
export type AuditQuery = Static<typeof AuditQuery>
